package io.lineage.spark;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A writer of JSON as UTF-8 into a buffer that grows up to a limit. It inserts the commas. */
final class Json {
  /** Thrown if the limit is exceeded. It has no stack trace, because it is an expected result. */
  static final class TooLong extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLong() {
      super("the JSON text exceeds its limit", null, false, false);
    }
  }

  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private byte[] bytes;
  private int size;
  private int limit;
  private boolean comma;

  Json() {
    this(Integer.MAX_VALUE - 64);
  }

  Json(int limit) {
    this.bytes = new byte[512];
    this.limit = limit;
  }

  int size() {
    return size;
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, size);
  }

  Json reset(int newLimit) {
    limit = newLimit;
    return rewind(0, false);
  }

  boolean pendingComma() {
    return comma;
  }

  /** Removes the text written since size() and pendingComma() returned these values. */
  Json rewind(int toSize, boolean toComma) {
    size = toSize;
    comma = toComma;
    return this;
  }

  Json object() {
    return open('{');
  }

  Json endObject() {
    return close('}');
  }

  Json array() {
    return open('[');
  }

  Json endArray() {
    return close(']');
  }

  Json key(String name) {
    string(name);
    put(':');
    comma = false;
    return this;
  }

  Json string(CharSequence text) {
    separate();
    put('"');
    for (int i = 0; i < text.length(); i++) {
      i = character(text, i);
    }
    put('"');
    return this;
  }

  Json number(long value) {
    separate();
    decimal(value);
    return this;
  }

  /** Writes a floating-point number; NaN and infinity, which JSON does not have, become null. */
  Json number(double value) {
    return Double.isNaN(value) || Double.isInfinite(value) ? nothing() : raw(Double.toString(value));
  }

  Json bool(boolean value) {
    return raw(value ? "true" : "false");
  }

  Json nothing() {
    return raw("null");
  }

  /** Writes a member, unless the text is null. */
  Json field(String name, CharSequence text) {
    return text == null ? this : key(name).string(text);
  }

  Json field(String name, long value) {
    return key(name).number(value);
  }

  /** Writes ASCII text that is JSON already. */
  private Json raw(String json) {
    separate();
    for (int i = 0; i < json.length(); i++) {
      put(json.charAt(i));
    }
    return this;
  }

  /** Writes one value that is JSON already. */
  Json raw(byte[] json) {
    separate();
    return append(json, json.length);
  }

  /** Writes one value of another writer. */
  Json raw(Json json) {
    separate();
    return append(json.bytes, json.size);
  }

  private Json append(byte[] source, int length) {
    reserve(length);
    System.arraycopy(source, 0, bytes, size, length);
    size += length;
    return this;
  }

  private Json open(char bracket) {
    separate();
    put(bracket);
    comma = false;
    return this;
  }

  private Json close(char bracket) {
    put(bracket);
    comma = true;
    return this;
  }

  private void separate() {
    if (comma) {
      put(',');
    }
    comma = true;
  }

  /** Writes the character at i. Returns the index of its last char, because some characters have two. */
  private int character(CharSequence text, int i) {
    char c = text.charAt(i);
    if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
      put(c);
    } else if (c < 0x80) {
      escape(c);
    } else if (c < 0x800) {
      put(0xc0 | c >> 6);
      put(0x80 | c & 0x3f);
    } else if (Character.isSurrogate(c)) {
      return surrogate(text, i);
    } else {
      three(c);
    }
    return i;
  }

  private void three(int c) {
    put(0xe0 | c >> 12);
    put(0x80 | c >> 6 & 0x3f);
    put(0x80 | c & 0x3f);
  }

  /** Writes a pair of surrogates. An unpaired one has no UTF-8 encoding and is replaced by U+FFFD. */
  private int surrogate(CharSequence text, int i) {
    if (i + 1 == text.length() || !Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1))) {
      three(0xfffd);
      return i;
    }
    int c = Character.toCodePoint(text.charAt(i), text.charAt(i + 1));
    put(0xf0 | c >> 18);
    put(0x80 | c >> 12 & 0x3f);
    put(0x80 | c >> 6 & 0x3f);
    put(0x80 | c & 0x3f);
    return i + 1;
  }

  private void escape(char c) {
    put('\\');
    switch (c) {
      case '"':
      case '\\':
        put(c);
        break;
      case '\n':
        put('n');
        break;
      case '\r':
        put('r');
        break;
      case '\t':
        put('t');
        break;
      default:
        put('u');
        put('0');
        put('0');
        put(HEX[c >> 4]);
        put(HEX[c & 15]);
    }
  }

  private void decimal(long value) {
    if (value < 0 || value > 999_999_999) {
      String digits = Long.toString(value);
      for (int i = 0; i < digits.length(); i++) {
        put(digits.charAt(i));
      }
      return;
    }
    int power = 1;
    while (value / 10 >= power) {
      power *= 10;
    }
    for (; power > 0; power /= 10) {
      put('0' + (int) (value / power % 10));
    }
  }

  private void put(int b) {
    if (size == bytes.length || size >= limit) {
      reserve(1);
    }
    bytes[size++] = (byte) b;
  }

  private void reserve(int more) {
    if (size > limit - more) {
      throw new TooLong();
    }
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(limit, Math.max(size + (long) more, 2L * size)));
    }
  }
}
