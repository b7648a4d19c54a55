package io.lineage.spark;

import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;

/** The end of a root execution, as the event tells it. */
final class ExecutionEnd {
  final Execution execution;
  final long time;
  final QueryExecution query;
  final Failure failure;
  private final Object name;

  ExecutionEnd(Execution execution, SparkListenerSQLExecutionEnd event) {
    this.execution = execution;
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
    this.name = ending.name;
  }

  /** The same, as a QueryExecutionListener was told of it. */
  ExecutionEnd as(QueryExecution told, Exception thrown) {
    return new ExecutionEnd(this, told, thrown == null ? failure : Failure.of(thrown));
  }

  /** Will QueryExecutionListeners be told of it? Of executions without a name they are not. */
  boolean willBeTold() {
    return name != null;
  }

  /** Did it make a checkpoint, whose rows later executions read without a word of where they are from? */
  boolean madeCheckpoint() {
    return failure == null && ("checkpoint".equals(name) || "localCheckpoint".equals(name));
  }

  /** Is it the end of this query? Where the event does not say which it ended, it may be. */
  boolean isOf(QueryExecution told) {
    return query == null || query == told;
  }

  /** What ran, as far as the event has it: a member that is not part of the public API. */
  static QueryExecution query(SparkListenerSQLExecutionEnd event) {
    return (QueryExecution) SparkFacts.get(event, "qe");
  }

  /** The exception, or its text in a Spark whose event does not carry it; null where all went well. */
  static Failure failure(SparkListenerSQLExecutionEnd event) {
    Object thrown = SparkFacts.get(event, "executionFailure");
    if (thrown != null) {
      return Failure.of((Throwable) thrown);
    }
    String message = event.errorMessage().isDefined() ? event.errorMessage().get() : "";
    return message.isEmpty() ? null : new Failure("java.lang.Throwable", message, "");
  }
}
