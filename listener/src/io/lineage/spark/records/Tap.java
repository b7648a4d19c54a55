package io.lineage.spark.records;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat_ws;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.shiftrightunsigned;
import static org.apache.spark.sql.functions.udf;
import static org.apache.spark.sql.functions.when;
import static org.apache.spark.sql.functions.xxhash64;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.util.CollectionAccumulator;

/** A query whose rows are recorded when it runs, each with the id of one row of each of its scans. */
public final class Tap {
  /** The name of the function in the plan, by which the listener knows it. */
  static final String NAME = "lineage_tap";

  private final RecordPlan plan;
  private final Annotated annotated;
  private final List<Integer> sources;
  private final CollectionAccumulator<byte[]> results;
  private final Dataset<Row> frame;
  private int read;

  /**
   * Annotates a plan.
   *
   * @param threshold the upper 63 bits of the hashes below which rows are sampled; negative for all rows
   * @param salt a number for other samples
   * @param capacity the number of rows that a task keeps; negative for all
   */
  Tap(RecordPlan plan, long threshold, long salt, int capacity) {
    this.plan = plan;
    WitnessPayload payload = new WitnessPayload();
    RecordPlan.Rewritten rewritten = plan.rewriteWhole(payload);
    Dataset<Row> rows = Catalyst.frame(plan.session, rewritten.plan);
    this.annotated = new Annotated(rows, rewritten.labels.lines(), rewritten.columns, payload);
    this.sources = annotated.sources();
    if (sources.stream().anyMatch(plan.sources::dependsOnColumns)) {
      throw new UnsupportedOperationException("reading all columns of malformed rows would change its result");
    }
    if (sources.isEmpty() || !operators(rewritten.plan).equals(operators(plan.whole()))) {
      throw new UnsupportedOperationException("the ids of its rows need further operators, or are not known");
    }
    this.results = plan.session.sparkContext().collectionAccumulator(NAME);
    this.frame = tapped(new RowSampler(results, capacity), threshold, salt);
  }

  /** Returns the operators of a plan but those that only compute columns, from the root. */
  private static List<String> operators(LogicalPlan plan) {
    List<String> names = new ArrayList<>();
    PlanTrees.visit(
        plan,
        node -> {
          if (!(node instanceof Project)) {
            names.add(node.getClass().getSimpleName());
          }
        });
    return names;
  }

  private Dataset<Row> tapped(RowSampler sampler, long threshold, long salt) {
    List<Column> hashed = new ArrayList<>();
    List<Column> texts = new ArrayList<>();
    for (Integer column : annotated.columns()) {
      Column id = col(Annotated.name(column));
      hashed.add(coalesce(id, lit(0L)));
      texts.add(coalesce(id.cast("string"), lit("")));
    }
    hashed.add(lit(salt));
    Column hash = xxhash64(hashed.toArray(new Column[0]));
    texts.add(0, hash.cast("string"));
    Column text = concat_ws(",", texts.toArray(new Column[0]));
    // Unsigned, as Python's hashes are.
    Column isSampled = shiftrightunsigned(hash, 1).lt(lit(threshold));
    UserDefinedFunction tap = udf(sampler, DataTypes.BooleanType).withName(NAME).asNondeterministic();
    Column argument = threshold < 0 ? text : when(isSampled, text);
    LogicalPlan filtered = Catalyst.execution(annotated.frame().filter(tap.apply(argument))).analyzed();
    return Catalyst.frame(plan.session, Catalyst.plan("Project", Seqs.of(plan.columns()), filtered));
  }

  /** Returns the query, with the same columns and rows. */
  public Dataset<Row> frame() {
    return frame;
  }

  /** Returns the limits of the meaning of the ids. */
  public List<String> labels() {
    return annotated.labels();
  }

  /** Returns the number of the source of each id. */
  public List<Integer> sources() {
    return sources;
  }

  /** Returns the parts that tasks have sent since the last call: see {@link RowSampler}. */
  public synchronized List<byte[]> results() {
    List<byte[]> all = results.value();
    List<byte[]> last = new ArrayList<>(all.subList(read, all.size()));
    read = all.size();
    return last;
  }
}
