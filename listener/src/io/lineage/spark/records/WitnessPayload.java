package io.lineage.spark.records;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.types.DataTypes;

/** The id of one row a leaf: of the row itself, and of the least of a group. Null is no row. */
final class WitnessPayload implements Payload {
  private final Map<Integer, Integer> sources = new HashMap<>();

  @Override
  public Integer column(Scan scan, int source, int leaf) {
    sources.put(leaf, source);
    return leaf;
  }

  @Override
  public int sourceOf(int column) {
    return sources.get(column);
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
  public boolean includesInfluences() {
    return false;
  }

  @Override
  public boolean isSmall() {
    return true;
  }
}
