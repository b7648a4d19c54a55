package io.lineage.spark.records;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Few rows of a frame in the memory of the driver, in Spark's own form, so that no value is converted. */
final class LocalRows {
  /** So that a limit runs one job, and not one for each few partitions. */
  private static final String FIRST_PARTITIONS = "spark.sql.limit.initialNumPartitions";

  final List<Attribute> output;
  final InternalRow[] rows;

  private LocalRows(List<Attribute> output, InternalRow[] rows) {
    this.output = output;
    this.rows = rows;
  }

  /** Runs the query of a frame that ends with a limit. */
  static LocalRows collect(Dataset<Row> frame) {
    SparkSession session = (SparkSession) Catalyst.call(frame.sparkSession(), "cloneSession");
    session.conf().set(FIRST_PARTITIONS, Integer.MAX_VALUE);
    LogicalPlan plan = Catalyst.execution(frame).analyzed();
    InternalRow[] rows = Catalyst.execution(Catalyst.frame(session, plan)).executedPlan().executeCollect();
    return new LocalRows(Catalyst.output(plan), rows);
  }

  /** Returns a frame of the first rows. */
  Dataset<Row> frame(SparkSession session, int count) {
    Object first = Seqs.of((Object[]) java.util.Arrays.copyOf(rows, count));
    return Catalyst.frame(session, Catalyst.plan("LocalRelation", Seqs.of(output), first));
  }
}
