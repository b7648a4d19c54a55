package io.lineage.spark;

/**
 * Texts of errors that are too long to be written: what they begin with and their last lines, which often
 * say most: a traceback of Python ends in its exception.
 */
final class LongText {
  /** What is read of a text. lineage/spark/launcher/driver_exit.py hands over less. */
  static final int MAX_READ = 200_000;

  private LongText() {}

  /**
   * The part of a text that is looked at. It ends where a line does, or before the first quote: half a
   * literal is not known for one.
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
   * A text without its middle. Secrets are replaced before: what marks a secret may stand in the middle.
   */
  static String written(String clean, int most) {
    if (clean == null || clean.length() <= most) {
      return clean;
    }
    int head = most / 2;
    int tail = clean.length() - most / 2;
    int line = clean.indexOf('\n', tail);
    // a last line that is longer than that is cut
    boolean isLine = line >= 0 && line < clean.length() - 1;
    int from = isLine ? line : tail;
    return clean.substring(0, head) + "\n  ... (" + (from - head) + " characters left out)"
        + (isLine ? "" : "\n") + clean.substring(from);
  }
}
