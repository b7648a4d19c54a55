package io.lineage.spark.records;

import org.apache.spark.sql.catalyst.expressions.Expression;

/**
 * The content of the provenance columns of a rewritten plan. A row has a value for each column below it; the value of
 * a row of several rows is merged or aggregated from theirs. No value is null, except where this says so.
 */
interface Payload {
  /** Returns the column in which a scan of the source with this number writes, or null for none. */
  Integer column(Scan scan, int source, int leaf);

  /** Returns the number of the source of a column's rows. */
  int sourceOf(int column);

  /** Returns the value of a row of a scan. */
  Expression ofRow(Scan scan, int source);

  /** Returns the value of a row without origin. */
  Expression none();

  /** Returns the value, or that of no row if it is null because of an outer join. */
  Expression orNone(Expression value);

  /** Returns the value of a row that is made of two rows. */
  Expression merge(Expression one, Expression other);

  /** Returns the value of a row that is made of a group of rows, as an aggregate expression. */
  Expression aggregate(Expression value);

  /**
   * Returns whether rows become part of the value that need further operators: those of window frames, of scalar
   * subqueries and of the right sides of semi joins.
   */
  boolean includesInfluences();

  /** Returns whether an aggregate over a partition may be copied into each row of the partition. */
  boolean isSmall();
}
