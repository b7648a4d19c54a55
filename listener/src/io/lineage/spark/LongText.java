package io.lineage.spark;

/**
 * The limits of texts of errors. A long text is shortened to its beginning and its last lines, which are often
 * the most informative: a Python traceback ends with its exception.
 */
final class LongText {
  /** The maximum length that is processed. lineage/spark/launcher/driver_exit.py passes shorter texts. */
  static final int MAX_READ = 200_000;

  private LongText() {}

  /**
   * Returns the part of a text that is processed. It ends at a line end or before the first quote, because an
   * incomplete literal would not be recognized.
   */
  static String read(String text) {
    if (text == null || text.length() <= MAX_READ) {
      return text;
    }
    int end = text.lastIndexOf('\n', MAX_READ);
    for (int at = 0; end < 0 && at < MAX_READ; at++) {
      end = text.charAt(at) == '\'' || text.charAt(at) == '"' ? at : -1;
    }
    return text.substring(0, end < 0 ? MAX_READ : end) + "\n... (the rest is left out)";
  }

  /**
   * Removes the middle of a text. Secrets must be replaced before, because the middle may contain the parts by
   * which they are recognized.
   */
  static String written(String clean, int most) {
    if (clean == null || clean.length() <= most) {
      return clean;
    }
    int head = most / 2;
    int tail = clean.length() - most / 2;
    int line = clean.indexOf('\n', tail);
    // a longer last line is truncated
    boolean isLine = line >= 0 && line < clean.length() - 1;
    int from = isLine ? line : tail;
    return clean.substring(0, head) + "\n  ... (" + (from - head) + " characters left out)"
        + (isLine ? "" : "\n") + clean.substring(from);
  }
}
