package io.lineage.spark;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that sends the files of a spool to the collector, in order. A file is deleted when the collector
 * has accepted all of it; sending a document twice has no effect.
 */
final class Sender implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(LineageListener.class);

  /** The time after the first document in which further ones are added to its request. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Spool spool;
  private final Collector collector;
  private final UnsentSpoolSender unsentSpools;
  private final UnsentQuota quota;
  private final Backoff backoff = new Backoff();

  private int files;
  private boolean isUnavailable;
  private boolean failedBeforeEnd;
  private boolean isRejectionReported;

  private long spooled;
  private long seen;
  private long accepted;
  private boolean ended;
  private boolean gaveUp;

  Sender(Spool spool, Collector collector, UnsentSpoolSender unsentSpools, UnsentQuota quota) {
    this.spool = spool;
    this.collector = collector;
    this.unsentSpools = unsentSpools;
    this.quota = quota;
  }

  /** Adds to the number of documents in the spool. */
  synchronized void spooled(int documents) {
    spooled += documents;
    notifyAll();
  }

  /** Marks the end of the documents. */
  synchronized void end() {
    ended = true;
    notifyAll();
    backoff.end();
  }

  /** Stops sending. Documents that have not arrived remain in the spool, for a later application. */
  synchronized void giveUp(Thread thread) {
    gaveUp = true;
    thread.interrupt();
  }

  /** Returns the number of this application's documents that the collector has not accepted. */
  synchronized long missing() {
    return spooled - accepted;
  }

  @Override
  public void run() {
    try {
      boolean isLast = awaitDocuments();
      while (sendOwn() && !isLast) {
        unsentSpools.sendOnce(file -> send(file, false));
        isLast = awaitDocuments();
      }
    } catch (InterruptedException e) {
      // sending has been stopped
    } catch (Throwable e) {
      LOG.error("Lineage: sending failed. The documents remain in {}.", spool.directory(), e);
    } finally {
      if (backoff.hasEnded()) {
        collector.close();
      }
    }
  }

  /** Waits for documents, and briefly for further ones. Returns whether they are the last ones. */
  private synchronized boolean awaitDocuments() throws InterruptedException {
    while (spooled == seen && !ended) {
      wait();
    }
    seen = spooled;
    long end = System.nanoTime() + LINGER_NANOS;
    for (long left = LINGER_NANOS; left > 0 && !ended; left = end - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return ended;
  }

  /** Sends the spooled documents. Returns false if the application ended before the collector accepted them. */
  private boolean sendOwn() throws InterruptedException {
    for (int complete = spool.seal(); files < complete; files++) {
      if (!send(spool.file(files), true)) {
        return false;
      }
    }
    return true;
  }

  private boolean send(Path file, boolean isOwn) throws InterruptedException {
    try (Batches batches = new Batches(file)) {
      for (List<byte[]> batch = batches.next(); !batch.isEmpty(); batch = batches.next()) {
        if (!isOwn && backoff.hasEnded() || !send(batch, isOwn)) {
          return false;
        }
      }
      Files.deleteIfExists(file);
      quota.look();
    } catch (ClosedByInterruptException e) {
      return false; // sending has been stopped
    } catch (NoSuchFileException e) {
      LOG.debug("Lineage: the file {} does not exist: another driver has sent it, or it was not created.", file);
    } catch (IOException e) {
      LOG.warn("Lineage: the file {} cannot be sent ({}). It is not deleted.", file, e.toString());
    }
    return true;
  }

  /**
   * Sends a batch, with retries. After the end of the application, a collector that was unavailable before gets
   * one more attempt; one that becomes unavailable then is retried until the time limit. Returns false if the
   * batch was not accepted.
   */
  private boolean send(List<byte[]> batch, boolean isOwn) throws InterruptedException, IOException {
    while (true) {
      try {
        int rejected = collector.send(batch, this::storeRejected);
        took(isOwn ? batch.size() - rejected : 0);
        return true;
      } catch (CollectorUnavailableException e) {
        reportUnavailable(e);
        quota.look();
        boolean hasEnded = backoff.hasEnded();
        if (hasGivenUp() || hasEnded && failedBeforeEnd) {
          return false;
        }
        failedBeforeEnd = !hasEnded;
        backoff.pause(e.retryAfterMillis);
      }
    }
  }

  private synchronized boolean hasGivenUp() {
    return gaveUp;
  }

  private synchronized void took(int documents) {
    accepted += documents;
    failedBeforeEnd = false;
    backoff.reset();
    if (isUnavailable) {
      isUnavailable = false;
      LOG.warn("Lineage: the collector {} accepts documents again.", collector.url());
    }
  }

  private void reportUnavailable(CollectorUnavailableException e) {
    if (!isUnavailable) {
      isUnavailable = true;
      LOG.warn(
          "Lineage: the collector {} accepts no documents: {}. The job continues. Documents are stored in {}"
              + " and sent when the collector accepts them.",
          collector.url(), e.getMessage(), spool.directory());
    }
  }

  /** Stores a rejected document in a file that `lineage ingest` reads. It is not sent again. */
  private void storeRejected(byte[] document, String reason) throws IOException {
    Path file = spool.refused();
    byte[] line = Arrays.copyOf(document, document.length + 1);
    line[document.length] = '\n';
    Files.write(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    if (!isRejectionReported) {
      isRejectionReported = true;
      LOG.error(
          "Lineage: the collector {} rejected a document: {}. Rejected documents are stored in {}.",
          collector.url(), reason, file);
    }
  }
}
