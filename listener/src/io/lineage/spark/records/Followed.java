package io.lineage.spark.records;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Option;

/** Where marked rows of a source go, operator by operator, and where they end. */
public final class Followed {
  /** Without these, Spark skips operators whose rows it needs no more, and reads fewer rows. */
  private static final String[] OFF = {
    "spark.sql.adaptive.enabled",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled",
    "spark.sql.optimizer.runtime.bloomFilter.enabled"
  };

  private final RecordPlan plan;
  private final int source;
  private final LocalRows found;
  private final List<Step> steps;
  private final List<String> labels;
  private final boolean isTruncated;

  /** Marks at most 64 rows of a source that match a condition, and runs the query once. */
  public Followed(RecordPlan plan, int source, Column where) {
    this.plan = plan;
    this.source = source;
    Dataset<Row> marked = plan.source(source).filter(where);
    if (plan.sources.isByContent(source)) {
      marked = marked.dropDuplicates(Scan.ID);
    }
    this.found = LocalRows.collect(marked.orderBy(col(Scan.ID)).limit(MaskPayload.MAX_ROWS + 1));
    this.isTruncated = found.rows.length > MaskPayload.MAX_ROWS;
    Trail trail = new Trail();
    Labels known = new Labels();
    LogicalPlan observed = plan.observed(plan.mask(source, ids()), trail, known);
    plan.time.label(known, observed);
    this.labels = known.lines();
    this.steps = trail.steps();
    observe(observed);
  }

  private int markedRows() {
    return Math.min(found.rows.length, MaskPayload.MAX_ROWS);
  }

  private List<Long> ids() {
    int last = found.output.size() - 1;
    List<Long> ids = new ArrayList<>();
    for (int index = 0; index < markedRows(); index++) {
      ids.add(found.rows[index].getLong(last));
    }
    return ids;
  }

  private void observe(LogicalPlan rewritten) {
    SparkSession session = (SparkSession) Catalyst.call(plan.session, "cloneSession");
    for (String setting : OFF) {
      session.conf().set(setting, "false");
    }
    Dataset<Row> frame = Catalyst.frame(session, rewritten);
    Catalyst.execution(frame).toRdd().count();
    scala.collection.immutable.Map<String, Row> metrics = Catalyst.execution(frame).observedMetrics();
    for (Step step : steps) {
      Option<Row> output = metrics.get(step.output());
      if (output.isDefined()) {
        Row row = output.get();
        step.observed(row.getLong(0), row.size() > 1 && !row.isNullAt(1) ? row.getLong(1) : 0L);
      }
      Option<Row> input = metrics.get(step.input());
      for (int index = 0; index < step.conditions.size(); index++) {
        boolean isKnown = input.isDefined() && !input.get().isNullAt(index);
        step.passed(isKnown ? input.get().getLong(index) : 0L);
      }
    }
  }

  public boolean isTruncated() {
    return isTruncated;
  }

  public List<String> labels() {
    return labels;
  }

  /** Returns the operators from the sources to the result, each after its inputs. */
  public List<Step> steps() {
    return steps;
  }

  /** Returns the marked rows in the order of their bits, as the source has them. */
  public Dataset<Row> rows() {
    return found.frame(plan.session, markedRows()).drop(Scan.ID);
  }

  /** Returns the rows of the result that are made of marked rows. */
  public Dataset<Row> results() {
    Annotated annotated = plan.annotate(plan.mask(source, ids()), false);
    if (annotated.columns().isEmpty()) {
      return annotated.frame().filter(lit(false));
    }
    String mask = Annotated.name(0);
    return annotated.frame().filter(col(mask).notEqual(0L)).drop(mask);
  }
}
