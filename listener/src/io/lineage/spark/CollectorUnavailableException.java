package io.lineage.spark;

import java.io.IOException;

/** The collector takes nothing now; it may later. */
final class CollectorUnavailableException extends IOException {
  private static final long serialVersionUID = 1L;

  /** How long it wants to be left alone. */
  final long retryAfterMillis;

  CollectorUnavailableException(String message, long retryAfterMillis) {
    super(message);
    this.retryAfterMillis = retryAfterMillis;
  }
}
