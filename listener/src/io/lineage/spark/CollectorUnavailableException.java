package io.lineage.spark;

import java.io.IOException;

/** Thrown if the collector currently accepts no documents; a later attempt may succeed. */
final class CollectorUnavailableException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The pause before the next attempt that the collector requested. */
  final long retryAfterMillis;

  CollectorUnavailableException(String message, long retryAfterMillis) {
    super(message);
    this.retryAfterMillis = retryAfterMillis;
  }
}
