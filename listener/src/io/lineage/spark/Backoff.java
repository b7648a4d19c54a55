package io.lineage.spark;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Increasing pauses between attempts. The end of the application shortens a pause. */
final class Backoff {
  private static final long FIRST_MILLIS = 1_000;
  private static final long MAX_MILLIS = 30_000;

  private long next = FIRST_MILLIS;
  private boolean ended;

  /** Resets the pause after a successful attempt. */
  synchronized void reset() {
    next = FIRST_MILLIS;
  }

  /**
   * Pauses for the minimum, or for a random time between half and all of the next pause if that is longer. The
   * time is random so that drivers do not all reconnect to a recovered collector at once. The end of the
   * application cancels the part above the minimum. Returns whether the application ended during the pause.
   */
  synchronized boolean pause(long leastMillis) throws InterruptedException {
    boolean before = ended;
    long start = System.nanoTime();
    long least = TimeUnit.MILLISECONDS.toNanos(leastMillis);
    long chosen = ThreadLocalRandom.current().nextLong(next / 2, next + 1);
    next = Math.min(2 * next, MAX_MILLIS);
    while (true) {
      boolean cut = ended && !before;
      long wanted = cut ? least : Math.max(least, TimeUnit.MILLISECONDS.toNanos(chosen));
      long left = wanted - (System.nanoTime() - start);
      if (left <= 0) {
        return cut;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  /** Records the end of the application. */
  synchronized void end() {
    ended = true;
    notifyAll();
  }

  synchronized boolean hasEnded() {
    return ended;
  }
}
