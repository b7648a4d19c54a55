package io.lineage.spark;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import scala.Option;

/**
 * The running streaming queries. The documents of a query are those of its start, its changes, its progress at
 * intervals, and its end. They describe one run over all its micro-batches.
 */
final class StreamingQueries {
  /** Spark's description of the jobs of a micro-batch. */
  private static final Pattern RUN = Pattern.compile("\nrunId = ([0-9a-f-]{36})\nbatch = ");

  private final Map<UUID, StreamingQuery> open = new LinkedHashMap<>();
  private final StreamingDocuments documents;
  private final Pipeline pipeline;
  private final OutcomeCounts outcomes;
  private final long intervalMillis;

  StreamingQueries(
      StreamingDocuments documents, Pipeline pipeline, OutcomeCounts outcomes, long intervalMillis) {
    this.documents = documents;
    this.pipeline = pipeline;
    this.outcomes = outcomes;
    this.intervalMillis = intervalMillis;
  }

  void on(StreamingQueryListener.Event event) {
    if (event instanceof StreamingQueryListener.QueryStartedEvent) {
      started((StreamingQueryListener.QueryStartedEvent) event);
    } else if (event instanceof StreamingQueryListener.QueryProgressEvent) {
      progressed((StreamingQueryListener.QueryProgressEvent) event);
    } else if (event instanceof StreamingQueryListener.QueryIdleEvent) {
      reportProgress(open.get(((StreamingQueryListener.QueryIdleEvent) event).runId()), false);
    } else if (event instanceof StreamingQueryListener.QueryTerminatedEvent) {
      terminated((StreamingQueryListener.QueryTerminatedEvent) event);
    }
  }

  private void started(StreamingQueryListener.QueryStartedEvent event) {
    long time = Instant.parse(event.timestamp()).toEpochMilli();
    StreamingQuery query = new StreamingQuery(event.id(), event.runId(), event.name(), time);
    open.put(query.run, query);
    pipeline.put(documents.start(query));
    query.planReported = query.hasPlan();
  }

  /** Returns the query of which this execution is a micro-batch, or null. */
  StreamingQuery of(Execution execution, QueryExecution query) {
    UUID run = run(execution, query);
    if (run == null || open.containsKey(run) || query == null) {
      return run == null ? null : open.get(run);
    }
    Object id = SparkFacts.get(query, "queryId"); // its start event was lost
    StreamingQuery recovered = new StreamingQuery(id == null ? run : (UUID) id, run, null, execution.started);
    open.put(run, recovered);
    return recovered;
  }

  /** Returns the run of a micro-batch, or null. After Spark removed the query, its description has the run. */
  private static UUID run(Execution execution, QueryExecution query) {
    if (query != null) {
      return Execution.isMicroBatch(query) ? (UUID) SparkFacts.get(query, "runId") : null;
    }
    Matcher described = RUN.matcher(String.valueOf(execution.description));
    return described.find() ? UUID.fromString(described.group(1)) : null;
  }

  void batchEnded(StreamingQuery query, ExecutionEnd end) {
    query.sessionSettings = end.execution.sessionSettings;
    query.setPlanOfBatch(end.query);
    query.failure = end.failure;
    if (end.failure == null) {
      query.progress.batchDone();
    } else {
      Execution.blame(
          end.failure, new Execution.Run(end.execution.id, end.query), end.execution.nested);
    }
    List<Execution.Run> nested =
        query.isForeachBatch() ? new ArrayList<>(end.execution.nested) : Collections.emptyList();
    boolean isFirst = !query.batchReported && end.failure == null;
    if (isFirst || !nested.isEmpty()) {
      report(query, documents.batch(query, end, nested, isFirst));
      query.batchReported |= isFirst;
    }
  }

  private void progressed(StreamingQueryListener.QueryProgressEvent event) {
    StreamingQuery query = open.get(event.progress().runId());
    if (query != null) {
      boolean isNew = query.progress.add(event.progress());
      reportProgress(query, isNew);
    }
  }

  private void reportProgress(StreamingQuery query, boolean isNew) {
    long now = System.currentTimeMillis();
    if (query != null && (isNew || now - query.reportedAt >= intervalMillis)) {
      report(query, documents.progress(query, now));
    }
  }

  private void report(StreamingQuery query, Document document) {
    pipeline.put(document);
    query.planReported |= query.hasPlan();
    query.reportedAt = System.currentTimeMillis();
  }

  private void terminated(StreamingQueryListener.QueryTerminatedEvent event) {
    StreamingQuery query = open.remove(event.runId());
    if (query != null) {
      Failure failure = failure(query, event.exception());
      pipeline.put(
          documents.end(query, System.currentTimeMillis(), failure == null ? "COMPLETE" : "FAIL", failure));
      outcomes.add(failure);
    }
  }

  /** Returns the failure of the last batch, else that of the event; null if the query did not fail. */
  private static Failure failure(StreamingQuery query, Option<String> exception) {
    if (exception.isEmpty()) {
      return null; // stopped, possibly during a batch
    }
    return query.failure != null ? query.failure : Failure.ofText(exception.get());
  }

  /** Reports the end of the queries that are running at the end of the application. */
  void endAll(long time) {
    for (StreamingQuery query : open.values()) {
      Failure failure =
          new Failure("io.lineage.spark.Unfinished", "The application ended while this was running.", "");
      pipeline.put(documents.end(query, time, "ABORT", failure));
    }
    open.clear();
  }
}
