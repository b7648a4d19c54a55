package io.lineage.spark.dryrun;

import static org.apache.spark.sql.functions.expr;

import io.lineage.spark.records.Followed;
import io.lineage.spark.records.Inputs;
import io.lineage.spark.records.JsonRows;
import io.lineage.spark.records.LocationNames;
import io.lineage.spark.records.RecordPlan;
import io.lineage.spark.records.Step;
import io.lineage.spark.records.Trace;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Answers the question of a dry run at the write that it is about. */
final class Answers {
  private final DryRun run;
  private final SparkSession session;
  private final Question question;

  Answers(DryRun run, SparkSession session) {
    this.run = run;
    this.session = session;
    this.question = run.question;
  }

  void answer(Target target) {
    try {
      Query query = query(target, 1);
      if (question.source == null) {
        trace(new DryRun.Write(target, run.changes.size()), query, query.plan.where(expr(question.where)), 1);
      } else {
        follow(target, query);
      }
    } catch (Exception e) { // Spark throws checked exceptions that its methods do not declare
      String message = String.valueOf(e.getMessage()).split("\n")[0];
      run.results.add("errors", message);
      throw new IllegalStateException(message, e);
    }
  }

  /** The plan of a write, its inputs that may change, and the number of its inputs in the results. */
  private static final class Query {
    final RecordPlan plan;
    final LogicalPlan changing;
    final int inputs;

    Query(RecordPlan plan, LogicalPlan changing, int inputs) {
      this.plan = plan;
      this.changing = changing;
      this.inputs = inputs;
    }
  }

  /** Reports the inputs of a write, before they are read. */
  private Query query(Target target, int depth) {
    List<String> written = depth == 1 ? Collections.emptyList() : target.names;
    Inputs inputs = Inputs.of(session, target.query, question.manifests, written);
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("target", target.best());
    result.put("depth", depth);
    result.put("document", inputs.document());
    result.put("leftOut", inputs.leftOut());
    result.put("earlierVersions", inputs.earlierVersions());
    return new Query(inputs.plan(), inputs.changing(), run.results.add("inputs", result));
  }

  private void trace(DryRun.Write write, Query query, Trace.Choice rows, int depth) {
    try (Trace trace = query.plan.trace(rows)) {
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("target", write.target.best());
      result.put("inputs", query.inputs);
      result.put("depth", depth);
      result.put("rows", trace.rowCount());
      result.put("values", JsonRows.of(trace.rows(), question.limit));
      result.put("labels", labels(write, query, trace.labels()));
      result.put("reproduced", trace.verify());
      List<Object> sources = new ArrayList<>();
      result.put("sources", sources);
      Map<Integer, Long> counts = trace.counts();
      List<String> datasets = query.plan.datasets();
      for (int source = 0; source < datasets.size(); source++) {
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("dataset", datasets.get(source));
        record.put("rows", counts.getOrDefault(source, 0L));
        record.put("witnesses", JsonRows.of(trace.witnesses(source, question.limit), question.limit));
        sources.add(record);
      }
      run.results.add("traces", result);
      if (depth < question.depth) {
        counts.keySet().forEach(source -> goBack(datasets.get(source), trace.witnesses(source, -1), depth));
      }
    }
  }

  /** Traces rows of a source in the write of this application that would have written them. */
  private void goBack(String dataset, Dataset<Row> rows, int depth) {
    DryRun.Write earlier = run.lastWriteOf(dataset);
    if (earlier != null) {
      Query query = query(earlier.target, depth + 1);
      trace(earlier, query, query.plan.sameRows(rows), depth + 1);
    }
  }

  /** Returns labels to which changes of the sources are added, also later ones. */
  private List<String> labels(DryRun.Write write, Query query, List<String> labels) {
    List<String> all = new CopyOnWriteArrayList<>(labels); // another thread may write the results
    run.changes.label(query.changing, write.changesBefore, all);
    return all;
  }

  private void follow(Target target, Query query) {
    List<String> datasets = query.plan.datasets();
    int source = source(datasets);
    Followed followed = new Followed(query.plan, source, expr(question.sourceWhere));
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("target", target.best());
    result.put("inputs", query.inputs);
    result.put("source", datasets.get(source));
    result.put("rows", JsonRows.of(followed.rows(), -1));
    result.put("truncated", followed.isTruncated());
    result.put("labels", labels(new DryRun.Write(target, run.changes.size()), query, followed.labels()));
    List<Object> steps = new ArrayList<>();
    followed.steps().forEach(step -> steps.add(record(step)));
    result.put("steps", steps);
    run.results.add("followed", result);
  }

  private static Map<String, Object> record(Step step) {
    Map<String, Object> record = new LinkedHashMap<>();
    record.put("operator", step.operator());
    record.put("detail", step.detail());
    record.put("inputs", step.inputs());
    record.put("rows", step.rows());
    record.put("alive", step.alive());
    record.put("conditions", step.conditions());
    record.put("passing", step.passing());
    return record;
  }

  private int source(List<String> datasets) {
    List<Integer> found = new ArrayList<>();
    for (int number = 0; number < datasets.size(); number++) {
      if (LocationNames.isEnd(datasets.get(number), question.source)) {
        found.add(number);
      }
    }
    if (found.size() != 1) {
      String problem = found.isEmpty() ? "no source " : "several sources ";
      throw new IllegalArgumentException(
          "The write has " + problem + question.source + ". Its sources are: " + String.join(", ", datasets) + ".");
    }
    return found.get(0);
  }
}
