package io.lineage.spark;

import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.apache.spark.internal.io.FileCommitProtocol;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.SparkListenerJobStart;

/**
 * A job that is not part of a SQL execution: `rdd.saveAsTextFile`, `df.rdd.foreach`. Its inputs and outputs are
 * in objects that the scheduler references while it runs: its RDD, and the function called for each partition.
 * The values captured by the function include the committer of a write.
 */
final class RddJob {
  private static final int MAX_VALUES = 200;
  private static final String SQL = "org.apache.spark.sql.";

  final int id;
  final long started;
  final RDD<?> rdd;
  final String callsite;
  final Properties properties;

  /** The methods of Spark ML that started it. */
  final List<String> ml;

  /** Whether it writes by Hadoop's output formats. */
  boolean writes;

  /** The path that it writes to; null if the output is not a path. */
  String path;

  /** Whether it is a job of Spark SQL itself, such as the inference of a schema. */
  boolean isOfSql;

  RddJob(SparkListenerJobStart event, RDD<?> rdd, Object function, Object callSite) {
    this.id = event.jobId();
    this.started = event.time();
    this.rdd = rdd;
    this.callsite = (String) SparkFacts.get(callSite, "shortForm");
    this.ml = MlFrames.of((String) SparkFacts.get(callSite, "longForm"));
    this.properties = event.properties();
    lookInto(function);
  }

  String property(String name) {
    return properties == null ? null : properties.getProperty(name);
  }

  /** Searches the values that functions have captured, recursively, for the committer of a write. */
  private void lookInto(Object function) {
    Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Object> pending = new ArrayDeque<>();
    if (function != null) {
      pending.add(function);
    }
    while (!pending.isEmpty() && seen.size() < MAX_VALUES) {
      Object next = pending.poll();
      if (!seen.add(next)) {
        continue;
      }
      if (next instanceof FileCommitProtocol) {
        writes = true;
        Object value = SparkFacts.held(next, "path");
        path = value instanceof String && !((String) value).isEmpty() ? (String) value : path;
      } else if (isFunction(next)) {
        isOfSql |= next.getClass().getName().startsWith(SQL);
        pending.addAll(captured(next));
      }
    }
  }

  private static boolean isFunction(Object value) {
    String type = value.getClass().getName();
    return type.startsWith("org.apache.spark.") && (type.contains("Lambda") || type.contains("$anon"));
  }

  /** Returns the values that a function has captured. */
  static List<Object> captured(Object function) {
    List<Object> values = new ArrayList<>();
    for (Field field : function.getClass().getDeclaredFields()) {
      if (field.getType().isPrimitive()) {
        continue;
      }
      try {
        field.setAccessible(true);
        Object value = field.get(function);
        if (value != null) {
          values.add(value);
        }
      } catch (ReflectiveOperationException | RuntimeException e) {
        // an inaccessible value is ignored
      }
    }
    return values;
  }
}
