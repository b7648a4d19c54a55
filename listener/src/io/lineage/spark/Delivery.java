package io.lineage.spark;

import java.io.IOException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The second half of the way out: a queue bounded in bytes and the thread that fills the spool. */
final class Delivery implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(LineageListener.class);
  private static final byte[] END = new byte[0];
  private static final long LONGEST_PAUSE_MILLIS = 30_000;

  private final Spool spool;
  private final Drops drops;
  private final long maxBytes;
  private final LinkedBlockingQueue<byte[]> queue = new LinkedBlockingQueue<>();
  private final AtomicLong bytes = new AtomicLong();
  private final Object closing = new Object();
  private volatile boolean closed;
  private boolean failing;

  Delivery(Spool spool, Drops drops, long maxBytes) {
    this.spool = spool;
    this.drops = drops;
    this.maxBytes = maxBytes;
  }

  /** Takes a document, or drops it where too much waits already. Never blocks. */
  void put(byte[] document) {
    if (bytes.addAndGet(document.length) > maxBytes) {
      bytes.addAndGet(-document.length);
      drops.count(Drops.Reason.BYTES);
    } else {
      queue.add(document);
    }
  }

  /** No document comes after this; what cannot be written now is lost. */
  void end() {
    closed = true;
    queue.add(END);
    synchronized (closing) {
      closing.notifyAll();
    }
  }

  @Override
  public void run() {
    try {
      for (byte[] next = queue.take(); next != END; next = queue.take()) {
        deliver(next);
        bytes.addAndGet(-next.length);
      }
      spool.close();
    } catch (Throwable e) {
      LOG.error("Lineage: delivery ended, nothing more of this application is recorded.", e);
    }
  }

  private void deliver(byte[] document) throws InterruptedException {
    for (long pause = 1_000; !delivered(document); pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS)) {
      if (closed) {
        drops.count(Drops.Reason.SPOOL);
        return;
      }
      pause(pause);
    }
  }

  private void pause(long millis) throws InterruptedException {
    synchronized (closing) {
      if (!closed) {
        closing.wait(millis);
      }
    }
  }

  private boolean delivered(byte[] document) {
    try {
      spool.append(document);
      if (failing) {
        failing = false;
        LOG.warn("Lineage: the spool {} can be written again.", spool.directory());
      }
      return true;
    } catch (IOException | RuntimeException e) {
      if (!failing) {
        failing = true;
        LOG.error(
            "Lineage: the spool {} cannot be written ({}). The job goes on, and what fits into {} waits in"
                + " memory. Make it a directory that this user may write, with room on its disk, or set {}"
                + " to another.",
            spool.directory(), e.toString(), Settings.QUEUE_BYTES, Settings.SPOOL);
      }
      return false;
    }
  }
}
