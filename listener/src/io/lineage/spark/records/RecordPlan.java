package io.lineage.spark.records;

import static org.apache.spark.sql.functions.lit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Sort;

/** The plan of a query, which can be run with provenance columns, or on some of the rows of its sources. */
public final class RecordPlan {
  private static final String NO_PLAN =
      "a streaming query reads rows that are not there again; only the batches of foreachBatch can be traced";

  final SparkSession session;
  final Sources sources;
  final TimeDependence time;
  private final Normalizer normalizer;
  private final LogicalPlan analyzed;
  private final LogicalPlan reordered;

  private RecordPlan(SparkSession session, LogicalPlan analyzed) {
    this.session = session;
    this.normalizer = new Normalizer(Catalyst.call(Catalyst.call(session, "sessionState"), "optimizer"));
    this.time = TimeDependence.of(normalizer.inlineDefinitions(analyzed));
    this.analyzed = normalizer.finishAnalysis(analyzed);
    this.reordered = normalizer.normalizeReordered(this.analyzed);
    this.sources = Sources.of(this.analyzed);
  }

  public static RecordPlan of(Dataset<?> frame) {
    return of(frame.sparkSession(), Catalyst.execution(frame).analyzed());
  }

  public static RecordPlan of(SparkSession session, LogicalPlan analyzed) {
    if (analyzed.isStreaming()) {
      throw new UnsupportedOperationException(NO_PLAN);
    }
    return new RecordPlan(session, analyzed);
  }

  /** Returns the names of the sources by their numbers. */
  public List<String> datasets() {
    return sources.names();
  }

  /** Returns the rows of a source with their position, where it is known, and their id. */
  public Dataset<Row> source(int number) {
    Dataset<Row> rows = null;
    for (Scan scan : sources.scans(number)) {
      Dataset<Row> some = Catalyst.frame(session, scan.withPosition());
      rows = rows == null ? some : rows.unionByName(some, true);
    }
    boolean isRepeated = sources.scans(number).size() > 1 && !sources.isByContent(number);
    return isRepeated ? rows.dropDuplicates(Scan.ID) : rows;
  }

  /** Traces the chosen rows of the result. */
  public Trace trace(Trace.Choice rows) {
    return Trace.of(this, rows, false);
  }

  /** Chooses the rows that match a condition. */
  public Trace.Choice where(Column condition) {
    return rows -> rows.filter(condition);
  }

  /** Chooses the rows that have the values of one of these rows in the columns of the same names. */
  public Trace.Choice sameRows(Dataset<Row> others) {
    return rows -> {
      Column isSame = lit(true);
      for (String name : rows.columns()) {
        if (!name.startsWith("__lineage_") && Arrays.asList(others.columns()).contains(name)) {
          isSame = isSame.and(rows.col("`" + name + "`").eqNullSafe(others.col("`" + name + "`")));
        }
      }
      return rows.join(others, isSame, "left_semi");
    };
  }

  /** Returns whether the query ends with a limit, perhaps below a projection. */
  public boolean isLimited() {
    return !peel(reordered, true).fastEquals(peel(reordered, false));
  }

  /**
   * Returns the query with all ids of each source.
   *
   * @param isPeeled whether to leave out a limit at the end, because the traced row is known to be in the result
   */
  public Annotated list(boolean isPeeled) {
    return annotate(new ListPayload(), isPeeled);
  }

  /** Returns the query with one bit for each of these rows of a source. */
  public Annotated mask(int source, long[] ids) {
    return annotate(mask(source, list(ids)), false);
  }

  /** Returns the query with the id of one row a leaf. */
  public Annotated witness() {
    return annotate(new WitnessPayload(), false);
  }

  Annotated annotate(Payload payload, boolean isPeeled) {
    Rewritten rewritten = rewrite(payload, peel(reordered, isPeeled));
    Dataset<Row> rows = Catalyst.frame(session, rewritten.plan);
    return new Annotated(rows, rewritten.labels.lines(), rewritten.columns, payload);
  }

  /**
   * Returns the query with observations of its rows; its joins are in the order of the query. Columns that determine
   * nothing are left out, because Spark's optimizer prunes none below an observation.
   */
  LogicalPlan observed(Payload payload, Trail trail, Labels labels) {
    LogicalPlan query = peel(normalizer.normalize(analyzed), false);
    List<Attribute> computed = Catalyst.output(query);
    for (LogicalPlan leaf : Seqs.<LogicalPlan>list(Catalyst.call(query, "collectLeaves"))) {
      Catalyst.output(leaf).forEach(read -> computed.removeIf(each -> each.exprId().equals(read.exprId())));
    }
    LogicalPlan pruned = normalizer.prune(Catalyst.plan("Project", Seqs.of(computed), query));
    return trail.result(new Rewriter(payload, sources, labels, trail).rewrite(pruned)).plan;
  }

  /** Returns the query with its order and its limit. */
  Rewritten rewriteWhole(Payload payload) {
    return rewrite(payload, reordered);
  }

  /** Returns the plan that {@link #rewriteWhole} rewrites. */
  LogicalPlan whole() {
    return reordered;
  }

  /** Returns the columns of the query. */
  List<Attribute> columns() {
    return Catalyst.output(analyzed);
  }

  private Rewritten rewrite(Payload payload, LogicalPlan query) {
    Labels labels = new Labels();
    Provenance provenance = new Rewriter(payload, sources, labels, Observer.NONE).rewrite(query);
    Map<Integer, NamedExpression> columns = provenance.map(payload::orNone);
    LogicalPlan plan = Provenance.project(output(query), columns, provenance.plan).plan;
    return new Rewritten(plan, labels, columns.keySet());
  }

  /** A plan with provenance columns. */
  static final class Rewritten {
    final LogicalPlan plan;
    final Labels labels;
    final Set<Integer> columns;

    private Rewritten(LogicalPlan plan, Labels labels, Set<Integer> columns) {
      this.plan = plan;
      this.labels = labels;
      this.columns = columns;
    }
  }

  /** Some rules of Spark replace attributes of the output; columns of the query's frame refer to the old ones. */
  private List<NamedExpression> output(LogicalPlan query) {
    List<NamedExpression> output = new ArrayList<>();
    List<Attribute> old = Catalyst.output(analyzed);
    List<Attribute> replaced = Catalyst.output(query);
    for (int index = 0; index < old.size(); index++) {
      Attribute attribute = old.get(index);
      boolean isSame = attribute.exprId().equals(replaced.get(index).exprId());
      output.add(isSame ? attribute : Expressions.alias(replaced.get(index), attribute.name(), attribute.exprId()));
    }
    return output;
  }

  Payload mask(int source, List<Long> ids) {
    return new MaskPayload(source, ids);
  }

  /** Returns the query on those rows only that have one of the ids of their scan. */
  Dataset<Row> restrictedTo(ScanColumns scans, Map<Integer, List<Long>> ids) {
    Set<Integer> ofQuery = new HashSet<>();
    transformScans(
        scan -> {
          ofQuery.add(scans.find(scan, sources.number(scan)));
          return scan.plan;
        });
    LogicalPlan plan =
        transformScans(scan -> scan.restrictedTo(scans.idsOf(scan, sources.number(scan), ids, ofQuery)));
    return Catalyst.frame(session, plan);
  }

  private LogicalPlan transformScans(Function<Scan, LogicalPlan> replace) {
    return Catalyst.transformLeaves(
        analyzed, leaf -> Sources.isSource(leaf) ? replace.apply(Scan.of(leaf)) : leaf);
  }

  /** An order has no effect on the ids, and the limit none if the row is known to be within it. */
  private static LogicalPlan peel(LogicalPlan plan, boolean limits) {
    boolean isLimit = plan instanceof GlobalLimit || plan instanceof LocalLimit;
    if (plan instanceof Sort || limits && isLimit) {
      return peel(Catalyst.children(plan).get(0), limits);
    }
    if (plan instanceof Project) {
      LogicalPlan child = peel(((Project) plan).child(), limits);
      return Catalyst.withChildren(plan, Arrays.asList(child));
    }
    return plan;
  }

  private static List<Long> list(long[] ids) {
    List<Long> result = new ArrayList<>();
    for (long id : ids) {
      result.add(id);
    }
    return result;
  }
}
