package io.lineage.spark;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How much may wait on disk for the collector, what earlier applications left there included. */
final class UnsentQuota {
  private static final Logger LOG = LoggerFactory.getLogger(LineageListener.class);

  private final Path directory;
  private final long most;
  private long held = -1;
  private volatile boolean full;

  UnsentQuota(Path directory, long most) {
    this.directory = directory;
    this.most = most;
  }

  /** Is there more than there may be? Asked on the listener bus. */
  boolean isFull() {
    return full;
  }

  /** So much is about to be written. */
  synchronized void take(long bytes) {
    if (held < 0 || held + bytes > most) {
      held = measured();
    }
    held += bytes;
    say(held > most);
  }

  /** Looks again, where it was full: something may be gone. */
  synchronized void look() {
    if (full) {
      held = measured();
      say(held > most);
    }
  }

  private void say(boolean isFull) {
    if (isFull && !full) {
      LOG.error(
          "Lineage: {} bytes wait in {} for the collector, more than {} allows. What comes now is dropped"
              + " until there is room again. They can be brought in with: lineage ingest {}",
          held, directory, Settings.UNSENT_MAX_BYTES, directory);
    } else if (full && !isFull) {
      LOG.warn("Lineage: there is room again in {}.", directory);
    }
    full = isFull;
  }

  private long measured() {
    long sum = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.jsonl")) {
      for (Path file : files) {
        sum += file.toFile().length(); // 0 where another driver has sent and deleted it by now
      }
    } catch (IOException | DirectoryIteratorException e) {
      LOG.debug("Lineage: {} cannot be listed.", directory, e);
    }
    return sum;
  }
}
