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
 * The thread that brings what a spool holds to the collector, in order. A file is deleted when the
 * collector has taken all of it; to send a document twice does no harm.
 */
final class Sender implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(LineageListener.class);

  /** How long the first document waits for others to go with it. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Spool spool;
  private final Collector collector;
  private final UnsentSpoolSender leftovers;
  private final UnsentQuota room;
  private final Backoff backoff = new Backoff();

  private int files;
  private boolean away;
  private boolean failedBeforeEnd;
  private boolean refusalTold;

  private long spooled;
  private long seen;
  private long accepted;
  private boolean ended;
  private boolean gaveUp;

  Sender(Spool spool, Collector collector, UnsentSpoolSender leftovers, UnsentQuota room) {
    this.spool = spool;
    this.collector = collector;
    this.leftovers = leftovers;
    this.room = room;
  }

  /** So many more documents are in the spool. */
  synchronized void spooled(int documents) {
    spooled += documents;
    notifyAll();
  }

  /** Nothing comes after this. */
  synchronized void end() {
    ended = true;
    notifyAll();
    backoff.end();
  }

  /** The time is over: what has not arrived stays in the spool, for whoever comes next. */
  synchronized void giveUp(Thread thread) {
    gaveUp = true;
    thread.interrupt();
  }

  /** How many documents of this application the collector has not taken. */
  synchronized long missing() {
    return spooled - accepted;
  }

  @Override
  public void run() {
    try {
      boolean isLast = awaitDocuments();
      while (sendOwn() && !isLast) {
        leftovers.sendOnce(file -> send(file, false));
        isLast = awaitDocuments();
      }
    } catch (InterruptedException e) {
      // given up
    } catch (Throwable e) {
      LOG.error("Lineage: sending ended; documents stay in {}.", spool.directory(), e);
    } finally {
      if (backoff.hasEnded()) {
        collector.close();
      }
    }
  }

  /** Waits for documents, and a little for more of them. Returns whether these are the last. */
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

  /** Sends what is there. Returns false where the application ended before the collector took it. */
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
      room.look();
    } catch (ClosedByInterruptException e) {
      return false; // given up
    } catch (NoSuchFileException e) {
      LOG.debug("Lineage: {} is gone: another driver has sent it, or it was never made.", file);
    } catch (IOException e) {
      LOG.warn("Lineage: {} cannot be sent ({}); it stays where it is.", file, e.toString());
    }
    return true;
  }

  /**
   * A collector that was away before the application ended gets one more chance; one that goes away then
   * is asked again until the time is over. Returns false where it did not take these.
   */
  private boolean send(List<byte[]> batch, boolean isOwn) throws InterruptedException, IOException {
    while (true) {
      try {
        int refused = collector.send(batch, this::setAside);
        took(isOwn ? batch.size() - refused : 0);
        return true;
      } catch (CollectorUnavailableException e) {
        away(e);
        room.look();
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
    if (away) {
      away = false;
      LOG.warn("Lineage: the collector {} takes documents again.", collector.url());
    }
  }

  private void away(CollectorUnavailableException e) {
    if (!away) {
      away = true;
      LOG.warn(
          "Lineage: the collector {} takes no documents: {}. The job goes on; they wait in {} and are sent"
              + " when it does.",
          collector.url(), e.getMessage(), spool.directory());
    }
  }

  /** Keeps what the collector will never take where `lineage ingest` finds it, and sends it no more. */
  private void setAside(byte[] document, String reason) throws IOException {
    Path file = spool.refused();
    byte[] line = Arrays.copyOf(document, document.length + 1);
    line[document.length] = '\n';
    Files.write(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    if (!refusalTold) {
      refusalTold = true;
      LOG.error(
          "Lineage: the collector {} refuses a document: {}. Such ones are kept in {}.",
          collector.url(), reason, file);
    }
  }
}
