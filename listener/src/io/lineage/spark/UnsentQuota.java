package io.lineage.spark;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The quota of bytes on disk that wait for the collector, including those of earlier applications. */
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

  /** Returns whether the quota is exceeded. Called on the listener bus. */
  boolean isFull() {
    return full;
  }

  /** Reserves bytes that are about to be written. */
  synchronized void take(long bytes) {
    if (held < 0 || held + bytes > most) {
      held = measured();
    }
    held += bytes;
    say(held > most);
  }

  /** Checks again if the quota was exceeded, because files may have been deleted. */
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
        sum += file.toFile().length(); // 0 if another driver has sent and deleted it
      }
    } catch (IOException | DirectoryIteratorException e) {
      LOG.debug("Lineage: {} cannot be listed.", directory, e);
    }
    return sum;
  }
}
