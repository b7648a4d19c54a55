package io.lineage.spark;

import java.net.HttpURLConnection;

/** The header Retry-After (RFC 9110, 10.2.3): seconds or a date. */
final class RetryAfter {
  private static final long MAX_MILLIS = 3_600_000;

  private RetryAfter() {}

  /** Returns the pause that the response requests; 0 without the header. */
  static long millis(HttpURLConnection connection) {
    String value = connection.getHeaderField("Retry-After");
    if (value == null) {
      return 0;
    }
    String text = value.trim();
    long millis =
        text.matches("\\d{1,9}")
            ? Long.parseLong(text) * 1_000
            : connection.getHeaderFieldDate("Retry-After", 0) - System.currentTimeMillis();
    return Math.max(0, Math.min(millis, MAX_MILLIS));
  }
}
