package io.lineage.spark;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.rdd.RDD;

/**
 * Finds the broadcast rows of a join of a frame. The RDD of a broadcast join does not depend on the RDD of the
 * smaller side: its functions hold the broadcast, which has no reference to the source of the rows.
 */
final class Broadcasts {
  private static final int MAX_VALUES = 1_000;
  private static final String SQL = "org.apache.spark.sql.execution.";
  private static final String[] FUNCTIONS = {"f", "evaluatorFactory"};

  private Broadcasts() {}

  /** Returns a broadcast that operators of SQL use to compute one of these RDDs, or null. */
  static Object into(Iterable<RDD<?>> rdds) {
    for (RDD<?> rdd : rdds) {
      for (String name : FUNCTIONS) {
        Object function = SparkFacts.held(rdd, name);
        Object broadcast = function == null ? null : heldBy(function);
        if (broadcast != null) {
          return broadcast;
        }
      }
    }
    return null;
  }

  private static Object heldBy(Object function) {
    Deque<Object> pending = new ArrayDeque<>();
    pending.add(function);
    for (int seen = 0; !pending.isEmpty() && seen < MAX_VALUES; seen++) {
      Object next = pending.poll();
      if (next instanceof Broadcast) {
        return next;
      }
      if (next instanceof Object[]) {
        pending.addAll(Arrays.asList(withoutNulls((Object[]) next)));
      } else if (isOfSql(next)) {
        pending.addAll(RddJob.captured(next));
      }
    }
    return null;
  }

  private static Object[] withoutNulls(Object[] values) {
    return Arrays.stream(values).filter(value -> value != null).toArray();
  }

  /** Returns whether the value is a function of SQL operators, or Spark's own function around one. */
  private static boolean isOfSql(Object value) {
    String type = value.getClass().getName();
    return type.startsWith(SQL) && (type.contains("Lambda") || type.contains("Evaluator"))
        || type.startsWith("org.apache.spark.rdd.") && type.contains("Lambda");
  }
}
