package io.lineage.spark;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Counts items that one thread adds and another finishes, so that a third can wait for them. */
final class Backlog {
  private final AtomicLong added = new AtomicLong();
  private long finished;

  /** Adds an item. Never blocks. */
  void add() {
    added.incrementAndGet();
  }

  /** Marks items as finished and wakes the waiting threads. */
  synchronized void finish(int count) {
    finished += count;
    notifyAll();
  }

  /**
   * Waits for the items added so far, until this {@link System#nanoTime} at the latest. Returns whether they
   * are finished.
   */
  synchronized boolean await(long nanoTime) throws InterruptedException {
    long target = added.get();
    while (finished < target) {
      long left = nanoTime - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }
}
