package io.lineage.spark.records;

import org.apache.spark.sql.catalyst.expressions.Expression;

/** No column at all, for counts of the rows at each operator. */
final class NoPayload implements Payload {
  @Override
  public Integer column(Scan scan, int source, int leaf) {
    return null;
  }

  @Override
  public int sourceOf(int column) {
    throw noColumn();
  }

  @Override
  public Expression ofRow(Scan scan, int source) {
    throw noColumn();
  }

  @Override
  public Expression none() {
    throw noColumn();
  }

  @Override
  public Expression orNone(Expression value) {
    throw noColumn();
  }

  @Override
  public Expression merge(Expression one, Expression other) {
    throw noColumn();
  }

  @Override
  public Expression aggregate(Expression value) {
    throw noColumn();
  }

  @Override
  public boolean includesInfluences() {
    return false;
  }

  @Override
  public boolean isSmall() {
    return true;
  }

  private static IllegalStateException noColumn() {
    return new IllegalStateException("a plan without provenance columns has no values");
  }
}
