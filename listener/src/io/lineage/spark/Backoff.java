package io.lineage.spark;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Pauses between attempts, each longer than the one before. The end of the application cuts one short. */
final class Backoff {
  private static final long FIRST_MILLIS = 1_000;
  private static final long LONGEST_MILLIS = 30_000;

  private long next = FIRST_MILLIS;
  private boolean ended;

  /** An attempt went well. */
  synchronized void reset() {
    next = FIRST_MILLIS;
  }

  /**
   * Pauses at least this long; by chance between a half and the whole of the next pause, so that drivers
   * whose collector comes back do not all ask at once. Returns whether the application ended meanwhile,
   * which cuts off what is more than the least.
   */
  synchronized boolean pause(long leastMillis) throws InterruptedException {
    boolean before = ended;
    long start = System.nanoTime();
    long least = TimeUnit.MILLISECONDS.toNanos(leastMillis);
    long chosen = ThreadLocalRandom.current().nextLong(next / 2, next + 1);
    next = Math.min(2 * next, LONGEST_MILLIS);
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

  synchronized void end() {
    ended = true;
    notifyAll();
  }

  synchronized boolean hasEnded() {
    return ended;
  }
}
