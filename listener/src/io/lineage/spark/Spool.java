package io.lineage.spark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Deque;

/**
 * The files of one application in a directory, and the lock that shows that the application is alive. One
 * thread writes them; another may seal them.
 */
final class Spool implements Transport {
  private final Path directory;
  private final String name;
  private final long rotateBytes;

  private Lock lock;
  private FileChannel file;
  private int number;
  private long written;

  /** Creates a spool whose files have this name and a number. */
  Spool(Path directory, String name, long rotateBytes) {
    this.directory = directory;
    this.name = name;
    this.rotateBytes = rotateBytes;
  }

  @Override
  public void start() {
    // the directory is created with the first document
  }

  @Override
  public String target() {
    return "files in " + directory;
  }

  @Override
  public boolean isFull() {
    return false; // files are deleted only by the process that ingests them
  }

  Path directory() {
    return directory;
  }

  @Override
  public void deliver(Deque<byte[]> documents) throws IOException {
    while (!documents.isEmpty()) {
      append(documents.peekFirst());
      documents.removeFirst();
    }
  }

  /** Appends one document as a line. If this fails, no part of the line remains. */
  synchronized void append(byte[] document) throws IOException {
    if (lock == null) {
      lock();
    }
    if (file != null && written > 0 && written + document.length >= rotateBytes) {
      closeFile();
    }
    if (file == null) {
      open();
    }
    ByteBuffer line = ByteBuffer.allocate(document.length + 1);
    line.put(document).put((byte) '\n').flip();
    try {
      while (line.hasRemaining()) {
        file.write(line, written + line.position());
      }
      written += line.limit();
    } catch (IOException e) {
      takeBack();
      throw e;
    }
  }

  /** Completes the current file. Returns the number of complete files. */
  synchronized int seal() {
    if (written > 0) {
      closeFile();
    }
    return file == null ? number : number - 1;
  }

  /** Returns the prefix of the paths of the files. */
  Path files() {
    return directory.resolve(name).toAbsolutePath();
  }

  Path file(int at) {
    return directory.resolve(String.format("%s-%04d.jsonl", name, at));
  }

  /** Returns the file for documents that the collector rejects permanently. */
  Path refused() {
    return directory.resolve(name + ".refused.jsonl");
  }

  /** Removes a partially written line, as on a full disk, so that the next line is valid. */
  private void takeBack() {
    try {
      file.truncate(written);
    } catch (IOException e) {
      closeFile();
    }
  }

  private void open() throws IOException {
    while (file == null) {
      try {
        file = FileChannel.open(file(number), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        written = 0;
      } catch (FileAlreadyExistsException e) {
        // an earlier application had the same configured run id
      }
      number++;
    }
  }

  private void lock() throws IOException {
    Files.createDirectories(directory);
    lock = Lock.take(lockFile());
  }

  private Path lockFile() {
    return directory.resolve(name + Lock.ENDING);
  }

  /** Closes the file and deletes the lock, which shows that the application ended and did not die. */
  @Override
  public synchronized void end() {
    closeFile();
    if (lock != null) {
      lock.release();
      lock = null;
    }
  }

  @Override
  public void await(long nanoTime) {
    // delivered documents are already written
  }

  private void closeFile() {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      // no data are buffered
    }
    file = null;
    written = 0;
  }
}
