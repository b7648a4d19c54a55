package io.lineage.spark;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.util.QueryExecutionListener;

/**
 * Hears from Spark's public API how a query ended. It registers itself in each session that runs
 * something, rather than by spark.sql.queryExecutionListeners: Spark would then load the class by its
 * name for every new session, and a session made where our jar is not visible could not be made at all.
 */
final class QueryListener implements QueryExecutionListener {
  private final Recorder recorder;
  private final Set<Object> sessions = Collections.newSetFromMap(new WeakHashMap<>());

  QueryListener(Recorder recorder) {
    this.recorder = recorder;
  }

  /** Listens in the session of this query, if it does not yet. */
  void listenTo(QueryExecution query) {
    if (query != null && sessions.add(SparkReflection.session(query))) {
      SparkReflection.session(query).listenerManager().register(this);
    }
  }

  @Override
  public void onSuccess(String name, QueryExecution query, long nanos) {
    concluded(query, null);
  }

  @Override
  public void onFailure(String name, QueryExecution query, Exception failure) {
    concluded(query, failure);
  }

  private void concluded(QueryExecution query, Exception failure) {
    try {
      recorder.concluded(query, failure);
    } catch (Throwable e) {
      recorder.failed();
    }
  }
}
