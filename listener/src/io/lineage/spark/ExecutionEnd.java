package io.lineage.spark;

import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;

/** The end of a root execution, according to its event. */
final class ExecutionEnd {
  final Execution execution;
  final long time;
  final QueryExecution query;
  final Failure failure;

  /** The stages of the last job, of {@link LastJobs}. */
  final Object stages;

  private final Object name;

  ExecutionEnd(Execution execution, SparkListenerSQLExecutionEnd event, Object stages) {
    this.execution = execution;
    this.stages = stages;
    this.time = event.time();
    this.query = query(event);
    this.failure = failure(event);
    this.name = SparkFacts.get(event, "executionName");
  }

  private ExecutionEnd(ExecutionEnd ending, QueryExecution query, Failure failure) {
    this.execution = ending.execution;
    this.time = ending.time;
    this.query = query;
    this.failure = failure;
    this.stages = ending.stages;
    this.name = ending.name;
  }

  /** Returns the same end, with the query and exception passed to a QueryExecutionListener. */
  ExecutionEnd as(QueryExecution reported, Exception thrown) {
    return new ExecutionEnd(this, reported, thrown == null ? failure : Failure.of(thrown));
  }

  /** Returns whether Spark calls QueryExecutionListeners, as it does for executions with a name. */
  boolean willBeReported() {
    return name != null;
  }

  /** Returns whether it made a checkpoint. Later executions read its rows without reference to their source. */
  boolean madeCheckpoint() {
    return failure == null && isCheckpoint(name);
  }

  /** Returns whether an execution made a checkpoint, by the end of an execution nested in another. */
  static boolean madeCheckpoint(SparkListenerSQLExecutionEnd event) {
    return failure(event) == null && isCheckpoint(SparkFacts.get(event, "executionName"));
  }

  private static boolean isCheckpoint(Object name) {
    return "checkpoint".equals(name) || "localCheckpoint".equals(name);
  }

  /** Returns whether it may be the end of this query; an event without a query may be of any. */
  boolean isOf(QueryExecution reported) {
    return query == null || query == reported;
  }

  /** Returns the query of the event, from a member that is not part of the public API. */
  static QueryExecution query(SparkListenerSQLExecutionEnd event) {
    return (QueryExecution) SparkFacts.get(event, "qe");
  }

  /** Returns the exception, or its text if the event of this Spark has only that; null on success. */
  static Failure failure(SparkListenerSQLExecutionEnd event) {
    Object thrown = SparkFacts.get(event, "executionFailure");
    if (thrown != null) {
      return Failure.of((Throwable) thrown);
    }
    String message = event.errorMessage().isDefined() ? event.errorMessage().get() : "";
    return message.isEmpty() ? null : new Failure("java.lang.Throwable", message, "");
  }
}
