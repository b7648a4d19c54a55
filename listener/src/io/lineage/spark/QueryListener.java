package io.lineage.spark;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.util.QueryExecutionListener;

/**
 * The listener for the end of a query in Spark's public API. It registers itself in each session that runs a
 * query. With spark.sql.queryExecutionListeners, Spark would load the class by name for each new session. The
 * session could not be created if the jar is not visible there.
 */
final class QueryListener implements QueryExecutionListener {
  private final Recorder recorder;
  private final Set<Object> sessions = Collections.newSetFromMap(new WeakHashMap<>());

  QueryListener(Recorder recorder) {
    this.recorder = recorder;
  }

  /** Registers with the session of this query, once. */
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
