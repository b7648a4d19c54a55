package io.lineage.spark;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.storage.RDDInfo;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * The last job that each running execution started. The last job of a checkpoint computes its rows, so that its
 * final stage has the RDD that later plans read. A lazy checkpoint has no such job, but it may have one of a
 * broadcast or of an adaptive plan.
 */
final class LastJobs {
  /** The RDD of a checkpoint without a job, because it is lazy or has no partitions. */
  static final int NO_RDD = -1;

  private static final String EXECUTION = "spark.sql.execution.id";

  /** The stages of the jobs. The bus stores references only, whatever the number of stages. */
  private final Map<Long, Object> stages = new HashMap<>();

  /** Returns the execution of a job; null if it has none. */
  static Long execution(SparkListenerJobStart event) {
    String id = event.properties() == null ? null : event.properties().getProperty(EXECUTION);
    return id == null ? null : Long.valueOf(id);
  }

  void started(long execution, SparkListenerJobStart event) {
    stages.put(execution, SparkFacts.get(event, "stageInfos"));
  }

  /** Removes and returns the stages of an execution's last job; null if it started none. */
  Object ended(long execution) {
    return stages.remove(execution);
  }

  /** Returns the id of the RDD of a checkpoint from its last job; NO_RDD if the job is another one. */
  static int checkpoint(Object stages) {
    StageInfo last = null;
    Iterator<?> all = stages == null ? null : ((Seq<?>) stages).iterator();
    while (all != null && all.hasNext()) {
      StageInfo stage = (StageInfo) all.next();
      last = last == null || stage.stageId() > last.stageId() ? stage : last;
    }
    Object infos = last == null ? null : SparkFacts.get(last, "rddInfos");
    if (infos == null || ((Seq<?>) infos).isEmpty()) {
      return NO_RDD;
    }
    RDDInfo rdd = (RDDInfo) ((Seq<?>) infos).head(); // the RDDs below it follow
    // Spark copies the rows of a checkpoint by RDD.map, and runs no other job of a plan on such an RDD.
    Object scope = SparkFacts.get(rdd, "scope");
    boolean isOfRows = scope != null && "map".equals(SparkFacts.get(scope, "name"));
    return isOfRows ? rdd.id() : NO_RDD;
  }
}
