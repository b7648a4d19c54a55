package io.lineage.spark;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The quota of unsent bytes on disk, including those of earlier applications. */
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
    setFull(held > most);
  }

  /** Measures again if the quota was exceeded, because files may have been deleted. */
  synchronized void look() {
    if (full) {
      held = measured();
      setFull(held > most);
    }
  }

  private void setFull(boolean isFull) {
    if (isFull && !full) {
      LOG.error(
          "Lineage: {} contains {} unsent bytes, more than {} allows. New documents are dropped until enough"
              + " have been sent. Ingest the unsent documents with: lineage ingest {}",
          directory, held, Settings.UNSENT_MAX_BYTES, directory);
    } else if (full && !isFull) {
      LOG.warn("Lineage: documents are stored in {} again.", directory);
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
