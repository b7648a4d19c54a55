package io.lineage.spark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The files of one application in the spool directory, and the lock that tells it from one that died.
 * Used by one thread.
 */
final class Spool {
  private final Path directory;
  private final String run;
  private final long rotateBytes;

  private FileChannel lock;
  private FileChannel file;
  private int number;
  private long written;

  Spool(Path directory, String run, long rotateBytes) {
    this.directory = directory;
    this.run = run;
    this.rotateBytes = rotateBytes;
  }

  Path directory() {
    return directory;
  }

  /** Appends one document as a line: all of it or, with an exception, nothing. */
  void append(byte[] document) throws IOException {
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

  /** A line that was written in part, as on a full disk, is taken back: the next one starts clean. */
  private void takeBack() {
    try {
      file.truncate(written);
    } catch (IOException e) {
      closeFile();
    }
  }

  private void open() throws IOException {
    while (true) {
      Path next = directory.resolve(String.format("%s-%04d.jsonl", run, number++));
      try {
        file = FileChannel.open(next, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        written = 0;
        return;
      } catch (FileAlreadyExistsException e) {
        continue; // an application before this one had the same configured run id
      }
    }
  }

  private void lock() throws IOException {
    Files.createDirectories(directory);
    FileChannel channel =
        FileChannel.open(lockFile(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      channel.tryLock();
    } catch (IOException | OverlappingFileLockException e) {
      // A file system without locks: then nobody can tell that we live, and the documents still count.
    }
    lock = channel;
  }

  private Path lockFile() {
    return directory.resolve(run + ".lock");
  }

  /** Ends the application's files; without a lock file it is over and not dead. */
  void close() {
    closeFile();
    try {
      if (lock != null) {
        Files.deleteIfExists(lockFile());
        lock.close();
      }
    } catch (IOException e) {
      // The lock ends with the process.
    }
  }

  private void closeFile() {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      // Nothing was buffered that could be lost.
    }
    file = null;
  }
}
