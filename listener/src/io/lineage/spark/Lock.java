package io.lineage.spark;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The lock file of one application's spool. It is locked (POSIX fcntl) while the driver runs, and deleted when
 * the application ends. It contains the host's name, because the lock may have no effect on other hosts.
 */
final class Lock {
  static final String ENDING = ".lock";

  /** The lock files of this JVM. To open and close such a file again would release its lock. */
  private static final Set<Path> OURS = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;

  private Lock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /** Locks a new file, if the file system supports it. */
  static Lock take(Path file) throws IOException {
    OURS.add(file);
    FileChannel channel = open(file, StandardOpenOption.CREATE);
    try {
      if (channel.tryLock() != null) {
        channel.write(ByteBuffer.wrap(host()), 0);
      }
    } catch (IOException | OverlappingFileLockException e) {
      // the file system has no locks: other processes cannot detect this driver, but it can write documents
    }
    return new Lock(file, channel);
  }

  /** Locks the file of a dead application of this host. Returns null if it may be alive. */
  static Lock takeOfDead(Path file) throws IOException {
    if (!OURS.add(file)) {
      return null;
    }
    FileChannel channel = null;
    boolean taken = false;
    try {
      channel = open(file, StandardOpenOption.READ);
      taken = channel.tryLock() != null && isOfThisHost(channel);
      return taken ? new Lock(file, channel) : null;
    } finally {
      if (!taken) {
        OURS.remove(file);
        close(channel);
      }
    }
  }

  private static FileChannel open(Path file, StandardOpenOption option) throws IOException {
    return FileChannel.open(file, option, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  /** Deletes the file and releases the lock, because all documents of the application are delivered. */
  void release() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // The lock ends with the process.
    }
    letGo();
  }

  /** Releases the lock but keeps the file, because its dead application has undelivered documents. */
  void letGo() {
    close(channel);
    OURS.remove(file);
  }

  private static void close(FileChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // The lock ends with the process.
    }
  }

  private static boolean isOfThisHost(FileChannel channel) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(256);
    channel.read(content, 0);
    byte[] host = host();
    return content.position() == host.length && content.flip().equals(ByteBuffer.wrap(host));
  }

  private static byte[] host() throws UnknownHostException {
    return InetAddress.getLocalHost().getHostName().getBytes(StandardCharsets.UTF_8);
  }
}
