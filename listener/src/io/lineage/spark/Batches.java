package io.lineage.spark;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The documents of a spool file, as many at a time as one request carries. */
final class Batches implements Closeable {
  static final int MOST_DOCUMENTS = 500;
  static final int MOST_BYTES = 1 << 20;

  private final InputStream in;
  private byte[] next;

  Batches(Path file) throws IOException {
    in = new BufferedInputStream(Files.newInputStream(file), 64 << 10);
    next = line();
  }

  /** Returns the next ones; none at the end. A document that is bigger than a batch goes alone. */
  List<byte[]> next() throws IOException {
    List<byte[]> batch = new ArrayList<>();
    long bytes = 0;
    while (next != null && fits(batch.size(), bytes, next)) {
      bytes += next.length;
      batch.add(next);
      next = line();
    }
    return batch;
  }

  /** Is there room for this document beside so many others of so many bytes? */
  static boolean fits(int documents, long bytes, byte[] document) {
    return documents == 0 || documents < MOST_DOCUMENTS && bytes + document.length <= MOST_BYTES;
  }

  /** Returns null at the end; what a killed driver wrote of its last line is no document. */
  private byte[] line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(1 << 10);
    for (int b = in.read(); b >= 0; b = in.read()) {
      if (b == '\n') {
        return line.toByteArray();
      }
      line.write(b);
    }
    return null;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
