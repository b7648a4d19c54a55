package io.lineage.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import scala.collection.Iterator;

/** A running root execution, with the data of its events that its documents contain. */
final class Execution {
  private static final int MAX_NESTED = 200;

  final long id;
  final long started;
  final Map<String, String> sessionSettings = new HashMap<>();

  final String description;
  private final String callsite;

  /** The methods of Spark ML that started it. */
  final List<String> ml;

  private final Object jobGroup;
  private final List<String> jobTags = new ArrayList<>();

  /**
   * The plan as written in the START document, for reuse in the END document. Used only on the encoder's
   * thread.
   */
  private Plan encoded;

  private LogicalPlan encodedFrom;

  /** Whether the START document contained the plan. */
  boolean planReported;

  /** The root for which this command stands, because its own start is late; or null. */
  Long lateRoot;

  /** The streaming query of which this execution is a micro-batch, or null. */
  StreamingQuery stream;

  final List<Run> nested = new ArrayList<>();
  int nestedLost;

  /** One run of a plan: that of this execution or of a nested one. */
  static final class Run {
    final long id;
    final LogicalPlan analyzed;

    /** The unanalyzed plan, if analysis failed. */
    final LogicalPlan attempted;

    final SparkPlan executed;
    final String sql;
    final LogicalPlan parsed;

    /** The id of the session that holds its variables. */
    final String session;

    Run(long id, QueryExecution execution) {
      this.id = id;
      this.analyzed = execution == null ? null : SparkFacts.analyzed(execution);
      this.executed = execution == null ? null : SparkFacts.executedPlan(execution);
      this.parsed = execution == null ? null : execution.logical();
      this.attempted = analyzed == null ? parsed : null;
      this.session = execution == null ? null : SparkFacts.session(execution);
      this.sql = execution == null ? null : SqlText.of(analyzed == null ? execution.logical() : analyzed);
    }
  }

  /** Sets the literals that are removed from the failure's message. */
  static void blame(Failure failure, Run run, List<Run> nested) {
    failure.in(
        () -> {
          Set<String> literals = Literals.of(run.sql, run.parsed, run.analyzed);
          nested.forEach(inner -> literals.addAll(Literals.of(inner.sql, inner.parsed, inner.analyzed)));
          return literals;
        });
  }

  Execution(SparkListenerSQLExecutionStart event) {
    this.id = event.executionId();
    this.started = event.time();
    this.description = event.description();
    this.callsite = event.details();
    this.ml = MlFrames.of(callsite);
    this.jobGroup = SparkFacts.get(event, "jobGroupId");
    Iterator<String> tags = event.jobTags().iterator();
    while (tags.hasNext()) {
      String tag = tags.next();
      if (!tag.startsWith("spark-session-")) { // set by Spark itself
        jobTags.add(tag);
      }
    }
    Iterator<scala.Tuple2<String, String>> settings = event.modifiedConfigs().iterator();
    while (settings.hasNext()) {
      scala.Tuple2<String, String> setting = settings.next();
      sessionSettings.put(setting._1(), setting._2());
    }
  }

  /** Creates an execution whose start event was lost. */
  Execution(long id, long time) {
    this.id = id;
    this.started = time;
    this.description = null;
    this.callsite = null;
    this.ml = MlFrames.of(null);
    this.jobGroup = null;
  }

  /** Returns the running query; null if the execution has ended, because Spark then removes it. */
  QueryExecution query() {
    return SQLExecution.getQueryExecution(id);
  }

  Run running() {
    return new Run(id, query());
  }

  /** Returns whether the execution is a micro-batch, by a class whose package differs in Spark 4.1. */
  static boolean isMicroBatch(QueryExecution execution) {
    return execution.getClass().getSimpleName().equals("IncrementalExecution");
  }

  void addNested(Run run) {
    if (nested.size() < MAX_NESTED) {
      nested.add(run);
    } else {
      nestedLost++;
    }
  }

  /** Returns the encoded plan, which is encoded once for both documents unless the plan has changed. */
  Plan plan(Run run, Plans plans) {
    if (encoded == null || encodedFrom != run.analyzed) {
      encoded = plans.of(run.analyzed, run.session);
      encodedFrom = run.analyzed;
    }
    return encoded;
  }

  void write(Redaction redaction, Json json) {
    json.key("execution").object().field("id", id);
    json.field("description", redaction.description(description)).field("callsite", redaction.text(firstLine(callsite)));
    json.field("jobGroup", jobGroup == null ? null : redaction.text(jobGroup.toString())); // a String
    json.key("jobTags").array();
    jobTags.forEach(tag -> json.string(redaction.text(tag)));
    json.endArray();
    MlFrames.write(ml, json);
    json.endObject();
  }

  private static String firstLine(String text) {
    return text == null ? null : text.split("\n", 2)[0];
  }
}
