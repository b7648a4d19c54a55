package io.lineage.spark;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import scala.Option;
import scala.collection.Iterator;

/** One run of a streaming query, from its start to its end. */
final class StreamingQuery {
  /** The maximum number of known foreachBatch plans. Above it, some are reported again. */
  private static final int MAX_KNOWN = 1_000;

  final UUID id;
  final UUID run;
  final String name;
  final long started;
  final StreamingProgress progress = new StreamingProgress();

  Map<String, String> sessionSettings = Collections.emptyMap();

  /** The failure of the last micro-batch. */
  Failure failure;

  /** The time of the last document. */
  long reportedAt;

  /** Whether a document contained the plan. */
  boolean planReported;

  /** Whether a document reported a micro-batch. */
  boolean batchReported;

  private boolean hasPlan;
  private boolean isForeachBatch;
  private Object execution;

  // Used only on the encoder's thread from here on, except that setPlan sets the plan on the bus.
  private LogicalPlan plan;

  private byte[] encoded;
  private byte[] lastNested;
  private final Set<Long> known = new HashSet<>();

  StreamingQuery(UUID id, UUID run, String name, long started) {
    this.id = id;
    this.run = run;
    this.name = name;
    this.started = started;
    this.reportedAt = started;
    lookUp();
  }

  /** Looks up the active query in Spark, and the plan of its batches. */
  private void lookUp() {
    Option<SparkSession> session = SparkSession.getDefaultSession();
    Object shared = session.isDefined() ? SparkFacts.get(session.get(), "sharedState") : null;
    Object active = shared == null ? null : SparkFacts.get(shared, "activeStreamingQueries");
    Object query = active instanceof Map ? ((Map<?, ?>) active).get(id) : null;
    if (query != null && run.equals(SparkFacts.get(query, "runId"))) {
      execution = query;
      Object held = SparkFacts.field(query, query.getClass(), "plan");
      // A continuous query has computed logicalPlan. That of micro-batches is lazy and is not computed here.
      held = held != null ? held : SparkFacts.field(query, query.getClass(), "logicalPlan");
      Object sink = SparkFacts.get(query, "sink");
      if (held instanceof LogicalPlan) {
        setPlan((LogicalPlan) held, sink);
      }
    }
  }

  private void setPlan(LogicalPlan analyzed, Object sink) {
    plan = analyzed;
    hasPlan = true;
    isForeachBatch = sink != null && ClassInfo.of(sink).simpleName.equals("ForeachBatchSink");
  }

  /** Uses the plan of a micro-batch if that of the query was no longer available. */
  void setPlanOfBatch(QueryExecution batch) {
    LogicalPlan analyzed = hasPlan || batch == null ? null : SparkFacts.analyzed(batch);
    if (analyzed != null) {
      setPlan(analyzed, SparkFacts.get(analyzed, "sink"));
    }
  }

  boolean hasPlan() {
    return hasPlan;
  }

  boolean isForeachBatch() {
    return isForeachBatch;
  }

  void write(Redaction redaction, Json json) {
    json.key("query").object().field("id", id.toString()).field("run", run.toString());
    json.field("name", redaction.text(name));
    if (execution != null) {
      Object checkpoint = SparkFacts.get(execution, "resolvedCheckpointRoot");
      json.field("checkpoint", redaction.text((String) checkpoint));
      json.field("outputMode", String.valueOf(SparkFacts.get(execution, "outputMode")));
      json.field("trigger", String.valueOf(SparkFacts.get(execution, "trigger")));
      options(redaction, json);
    }
    json.endObject();
  }

  /** Writes the options of the sink. */
  private void options(Redaction redaction, Json json) {
    Object options = SparkFacts.field(execution, execution.getClass(), "extraOptions");
    if (!(options instanceof scala.collection.Map)) {
      return;
    }
    json.key("options").object();
    Iterator<?> entries = ((scala.collection.Map<?, ?>) options).iterator();
    while (entries.hasNext()) {
      scala.Tuple2<?, ?> entry = (scala.Tuple2<?, ?>) entries.next();
      String key = String.valueOf(entry._1());
      json.field(key, redaction.value(key, String.valueOf(entry._2())));
    }
    json.endObject();
  }

  /** Returns the plan as JSON; null if it is unknown. */
  byte[] plan(Plans plans) {
    if (encoded == null && plan != null) {
      Plan written = plans.of(plan, null);
      plans.ofStream(SparkFacts.get(plan, "sink"), written);
      encoded = written.json;
      plan = null; // release the objects that it references
    }
    return encoded;
  }

  /** Returns the nested plans of the last batch with new plans, as JSON; null if there is none. */
  byte[] lastNested() {
    return lastNested;
  }

  /**
   * Encodes the plans that foreachBatch ran in a batch. Returns whether they differ from those of all earlier
   * batches by more than the ids that Spark assigns.
   */
  boolean isNew(List<Execution.Run> runs, Plans plans) {
    Json json = new Json().array();
    long fingerprint = 0;
    for (Execution.Run run : runs) {
      if (run.analyzed != null) {
        Plan nested = plans.of(run.analyzed, run.session);
        fingerprint = 31 * fingerprint + Fingerprint.of(nested.json);
        json.object().field("id", run.id).key("plan").raw(nested.json);
        Metrics.write(run.executed, nested.relations, Metrics.NOT_RUN, json.key("metrics"));
        json.endObject();
      }
    }
    if (known.size() >= MAX_KNOWN) {
      known.clear();
    }
    boolean isNew = known.add(fingerprint);
    if (isNew) {
      lastNested = json.endArray().toBytes();
    }
    return isNew;
  }
}
