package io.lineage.spark.records;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.DataTypes;

/** The id of one row a leaf: of the row itself, and of the least of a group. Null is no row. */
final class WitnessPayload implements Payload {
  @Override
  public Integer column(int source, int leaf) {
    return leaf;
  }

  @Override
  public Expression ofRow(Scan scan, int source) {
    return scan.id;
  }

  @Override
  public Expression none() {
    return new Literal(null, DataTypes.LongType);
  }

  @Override
  public Expression orNone(Expression value) {
    return value;
  }

  @Override
  public Expression merge(Expression one, Expression other) {
    return Expressions.call("coalesce", one, other);
  }

  @Override
  public Expression aggregate(Expression value) {
    return Expressions.aggregate("min", value);
  }

  @Override
  public boolean includesFrames() {
    return false;
  }

  @Override
  public boolean isSmall() {
    return true;
  }
}
