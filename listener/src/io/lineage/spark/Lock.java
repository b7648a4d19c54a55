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
 * The lock file of one application's spool. It is locked (POSIX fcntl) while the driver lives, is deleted
 * when the application ends, and holds the name of the host: on others the lock may mean nothing.
 */
final class Lock {
  static final String ENDING = ".lock";

  /** The locks of this JVM. To open such a file once more, and close it, would release the lock. */
  private static final Set<Path> OURS = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;

  private Lock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /** Locks a new file, as far as the file system can. */
  static Lock take(Path file) throws IOException {
    OURS.add(file);
    FileChannel channel = open(file, StandardOpenOption.CREATE);
    try {
      if (channel.tryLock() != null) {
        channel.write(ByteBuffer.wrap(host()), 0);
      }
    } catch (IOException | OverlappingFileLockException e) {
      // A file system without locks: then nobody can tell that we live, and the documents still count.
    }
    return new Lock(file, channel);
  }

  /** Locks the file of an application of this host that died; null where it lives, or may live. */
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

  /** Deletes the file: whose it was, it has ended, and all is said. */
  void release() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // The lock ends with the process.
    }
    letGo();
  }

  /** Leaves the file: whose it was has died, and not all is said. */
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
