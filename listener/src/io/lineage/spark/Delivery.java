package io.lineage.spark;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The second stage of output: a queue limited in bytes, and the thread that delivers it to the transport. */
final class Delivery implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(LineageListener.class);
  private static final byte[] END = new byte[0];
  private static final int MAX_BATCH_DOCUMENTS = 500;

  private final Transport transport;
  private final Settings settings;
  private final DroppedDocuments drops;
  private final LinkedBlockingQueue<byte[]> queue = new LinkedBlockingQueue<>();
  private final AtomicLong bytes = new AtomicLong();
  private final Backlog undelivered = new Backlog();
  private final Backoff backoff = new Backoff();
  private boolean failing;

  Delivery(Transport transport, Settings settings, DroppedDocuments drops) {
    this.transport = transport;
    this.settings = settings;
    this.drops = drops;
  }

  /** Adds a document, or drops it if too many bytes are queued. Never blocks. */
  void put(byte[] document) {
    if (bytes.addAndGet(document.length) > settings.queueBytes) {
      bytes.addAndGet(-document.length);
      drops.count(DroppedDocuments.Reason.BYTES);
    } else {
      undelivered.add();
      queue.add(document);
    }
  }

  /** Waits until the documents added so far are delivered or lost, until this time at the latest. */
  void await(long nanoTime) throws InterruptedException {
    undelivered.await(nanoTime);
  }

  /** Marks the end of the documents. Those that cannot be delivered from then on are lost. */
  void end() {
    queue.add(END);
    backoff.end();
  }

  @Override
  public void run() {
    try {
      Deque<byte[]> documents = new ArrayDeque<>();
      do {
        documents.add(queue.take());
        queue.drainTo(documents, MAX_BATCH_DOCUMENTS);
      } while (deliver(documents));
    } catch (Throwable e) {
      LOG.error("Lineage: delivery failed. No further documents of this application are recorded.", e);
    } finally {
      transport.end();
    }
  }

  /** Delivers these documents. Returns false if the last one was the end marker. */
  private boolean deliver(Deque<byte[]> documents) throws InterruptedException {
    boolean goesOn = documents.peekLast() != END;
    if (!goesOn) {
      documents.removeLast();
    }
    int count = documents.size();
    boolean isLastChance = backoff.hasEnded();
    while (!documents.isEmpty() && !delivered(documents)) {
      if (isLastChance) {
        bytes.addAndGet(-documents.removeFirst().length); // a smaller one may still fit
        drops.count(DroppedDocuments.Reason.SPOOL);
      }
      isLastChance = isLastChance || backoff.pause(0);
    }
    backoff.reset();
    undelivered.finish(count);
    return goesOn;
  }

  private boolean delivered(Deque<byte[]> documents) {
    long before = size(documents);
    try {
      transport.deliver(documents);
      if (failing) {
        failing = false;
        LOG.warn("Lineage: documents are delivered again.");
      }
      return true;
    } catch (IOException | RuntimeException e) {
      if (!failing) {
        failing = true;
        LOG.error(
            "Lineage: the spool {} cannot be written ({}). The job continues, and documents up to {} are queued"
                + " in memory. Make the spool a directory that this user can write, on a disk with free space,"
                + " or set {} to another directory.",
            settings.spool, e.toString(), Settings.QUEUE_BYTES, Settings.SPOOL);
      }
      return false;
    } finally {
      bytes.addAndGet(size(documents) - before);
    }
  }

  private static long size(Deque<byte[]> documents) {
    return documents.stream().mapToLong(document -> document.length).sum();
  }
}
