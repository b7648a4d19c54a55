package io.lineage.spark;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkContext$;
import org.apache.spark.rdd.RDD;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import scala.Option;
import scala.collection.Iterator;

/** The jobs of RDDs that read or write files. Each is reported at its end, like an execution. */
final class RddJobs {
  private static final int MAX_KNOWN = 10_000;

  private final Documents documents;
  private final Redaction redaction;
  private final Rdds rdds;
  private final Models models;
  private final Map<Integer, RddJob> open = new HashMap<>();

  /** The reported jobs, by call site and roots. Used only on the encoder's thread. */
  private final Set<String> known = new HashSet<>();

  private long unseen;

  RddJobs(Documents documents, Models models, Redaction redaction) {
    this.documents = documents;
    this.models = models;
    this.redaction = redaction;
    this.rdds = new Rdds(redaction);
  }

  /** Returns the number of jobs over files that ended before they were inspected. */
  long unseen() {
    return unseen;
  }

  /** Records a job that no SQL execution runs. */
  void started(SparkListenerJobStart event) {
    Object job = active(event.jobId());
    Object stage = job == null ? null : SparkFacts.get(job, "finalStage");
    Object rdd = stage == null ? null : SparkFacts.get(stage, "rdd");
    if (!(rdd instanceof RDD)) {
      unseen += isOverFiles(event) ? 1 : 0;
      return;
    }
    Object function = SparkFacts.get(stage, "func");
    RddJob started = new RddJob(event, (RDD<?>) rdd, function, SparkFacts.get(job, "callSite"));
    if (!started.isOfSql) {
      open.put(started.id, started);
    }
  }

  /** Returns the scheduler's record of a job, which exists from before the start event until its end. */
  private static Object active(int id) {
    Option<SparkContext> context = SparkContext$.MODULE$.getActive();
    Object scheduler = context.isDefined() ? SparkFacts.get(context.get(), "dagScheduler") : null;
    Object jobs = scheduler == null ? null : SparkFacts.get(scheduler, "jobIdToActiveJob");
    try {
      return jobs instanceof scala.collection.Map ? held((scala.collection.Map<?, ?>) jobs, id) : null;
    } catch (RuntimeException e) {
      return null; // the scheduler's thread modifies it concurrently
    }
  }

  @SuppressWarnings("unchecked")
  private static Object held(scala.collection.Map<?, ?> jobs, int id) {
    return ((scala.collection.Map<Object, Object>) jobs).get(id).getOrElse(() -> null);
  }

  private static boolean isOverFiles(SparkListenerJobStart event) {
    Iterator<?> stages = ((scala.collection.Iterable<?>) SparkFacts.get(event, "stageInfos")).iterator();
    while (stages.hasNext()) {
      Object rddInfos = SparkFacts.get(stages.next(), "rddInfos");
      Iterator<?> infos = ((scala.collection.Iterable<?>) rddInfos).iterator();
      while (infos.hasNext()) {
        String name = String.valueOf(SparkFacts.get(infos.next(), "name"));
        if (name.contains("/") || name.equals("FileScanRDD") || name.endsWith("HadoopRDD")) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns the document of a job's end; null if the job is not recorded. */
  Document ended(SparkListenerJobEnd event) {
    RddJob job = open.remove(event.jobId());
    if (job == null) {
      return null;
    }
    Object thrown = SparkFacts.get(event.jobResult(), "exception");
    return end(job, event.time(), thrown == null ? null : Failure.of((Throwable) thrown));
  }

  /** Returns the documents of jobs that are still running at the end of the application. */
  Iterable<Document> endAll(long time, Failure failure) {
    List<Document> ends = new ArrayList<>();
    open.values().forEach(job -> ends.add(end(job, time, failure)));
    open.clear();
    return ends;
  }

  private Document end(RddJob job, long time, Failure failure) {
    return (json, withPlans) -> {
      Json rdd = new Json();
      boolean readsFiles = rdds.write(job.rdd, rdd);
      byte[] roots = rdd.toBytes();
      if (failure == null && Models.concern(job.ml)) {
        models.read(job.ml, plan(job, roots), true);
      }
      if (job.writes || readsFiles && (failure != null || isNew(job, roots))) {
        write(job, time, failure, roots, json);
      }
    };
  }

  /** Returns whether no equal job was reported: a loop may read the same files repeatedly. */
  private boolean isNew(RddJob job, byte[] roots) {
    if (known.size() >= MAX_KNOWN) {
      known.clear();
    }
    // each RDD has another id
    String of = new String(roots, StandardCharsets.UTF_8).replaceFirst("\"id\":\\d+", "");
    return known.add(job.callsite + of);
  }

  private void write(RddJob job, long time, Failure failure, byte[] roots, Json json) {
    documents.envelope("execution_end", time, Collections.emptyMap(), json);
    json.key("execution").object().field("id", -1L - job.id);
    json.field("description", redaction.description(job.property("spark.job.description")));
    json.field("callsite", redaction.text(job.callsite));
    json.field("jobGroup", redaction.text(job.property("spark.jobGroup.id")));
    json.key("jobTags").array().endArray();
    MlFrames.write(job.ml, json);
    json.endObject();
    json.field("outcome", failure == null ? "COMPLETE" : "FAIL");
    json.field("durationMs", time - job.started);
    json.key("started").object().field("time", job.started).key("plan").bool(false).endObject();
    if (failure != null) {
      failure.write(redaction, json);
    }
    json.key("plan").raw(plan(job, roots));
    if (MlFrames.isSaveOfMetadata(job.ml)) {
      models.write(json);
    }
    json.key("metrics").array().endArray().key("nested").array().endArray().endObject();
  }

  private byte[] plan(RddJob job, byte[] roots) {
    Json json = new Json().object().key("types").array().endArray();
    json.key("exprs").array().endArray().key("nodes").array();
    json.object().field("op", "ExternalRDD").key("out").array().endArray();
    json.key("args").object().key("rdd").raw(roots).endObject().endObject();
    if (job.writes) {
      json.object().field("op", "SaveAsHadoopFile").key("in").array().number(0).endArray();
      json.key("args").object().field("path", redaction.text(job.path)).endObject().endObject();
    }
    return json.endArray().field("root", job.writes ? 1 : 0).endObject().toBytes();
  }
}
