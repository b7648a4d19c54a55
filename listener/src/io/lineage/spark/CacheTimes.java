package io.lineage.spark;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec;

/** When the rows of caches were computed, for a walk over the plan of an execution. */
final class CacheTimes {
  /** The time of a cache that was removed before its plan was seen. */
  static final long UNKNOWN = 0;

  /** The starts of the executions that filled caches, by the RDD of the cached rows. */
  private static final Map<Object, Long> FILLED = Collections.synchronizedMap(new WeakHashMap<>());

  /** The last known values of the same by the builder of the RDD, which has no RDD after the cache was removed. */
  private static final WeakIdentityMap<Long> LAST_FILLED = new WeakIdentityMap<>();

  private final long started;
  private final Deque<Cache> open = new ArrayDeque<>();

  private static final class Cache {
    final Object builder;
    final long time;

    Cache(Object builder, long time) {
      this.builder = builder;
      this.time = time;
    }
  }

  CacheTimes(long started) {
    this.started = started;
  }

  boolean isWithinCache() {
    return !open.isEmpty();
  }

  void leave() {
    open.pop();
  }

  /** Notes when the rows of the cache were computed. Those of a cache within it were computed with it or before. */
  void enter(InMemoryTableScanExec scan) {
    Object builder = scan.relation().cacheBuilder();
    long filled = started == Metrics.NOT_RUN ? started : filled(builder);
    long outer = open.isEmpty() ? UNKNOWN : open.peek().time;
    open.push(new Cache(builder, outer == UNKNOWN ? filled : Math.min(filled, outer)));
  }

  private long filled(Object builder) {
    Object rows = SparkFacts.held(builder, "_cachedColumnBuffers");
    Long before = rows == null ? LAST_FILLED.get(builder) : FILLED.putIfAbsent(rows, started);
    if (before == null && rows == null) {
      return UNKNOWN;
    }
    long filled = before == null ? started : before;
    LAST_FILLED.put(builder, filled);
    return Math.min(filled, started);
  }

  /**
   * Returns when the rows of a scan were read; null if this execution read them. If the time is not known, new rows
   * in the scan's metrics show that this execution did.
   */
  Long earlier(boolean hasNewRows) {
    if (open.isEmpty() || started == Metrics.NOT_RUN) {
      return null;
    }
    Cache cache = open.peek();
    if (cache.time == UNKNOWN && hasNewRows) {
      LAST_FILLED.put(cache.builder, started);
      return null;
    }
    return cache.time < started ? cache.time : null;
  }
}
