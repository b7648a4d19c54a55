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

/** Reads the documents of a spool file in batches of the size of one request. */
final class Batches implements Closeable {
  static final int MAX_DOCUMENTS = 500;
  static final int MAX_BYTES = 1 << 20;

  private final InputStream in;
  private byte[] next;

  Batches(Path file) throws IOException {
    in = new BufferedInputStream(Files.newInputStream(file), 64 << 10);
    next = line();
  }

  /** Returns the next batch, empty at the end. A document larger than a batch is returned alone. */
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

  /** Returns whether the document fits into a batch with this number of documents and bytes. */
  static boolean fits(int documents, long bytes, byte[] document) {
    return documents == 0 || documents < MAX_DOCUMENTS && bytes + document.length <= MAX_BYTES;
  }

  /** Returns the next line; null at the end. An incomplete last line, of a killed driver, is omitted. */
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
