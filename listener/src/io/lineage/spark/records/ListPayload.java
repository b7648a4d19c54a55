package io.lineage.spark.records;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataTypes;

/** All ids of each scan, as an array a scan. */
final class ListPayload implements Payload {
  private static final ArrayType TYPE = new ArrayType(DataTypes.LongType, false);

  final ScanColumns scans = new ScanColumns();

  @Override
  public Integer column(Scan scan, int source, int leaf) {
    return scans.add(scan, source);
  }

  @Override
  public int sourceOf(int column) {
    return scans.sourceOf(column);
  }

  @Override
  public Expression ofRow(Scan scan, int source) {
    return Expressions.call("array", scan.id);
  }

  @Override
  public Expression none() {
    return new Literal(new GenericArrayData(new long[0]), TYPE);
  }

  @Override
  public Expression orNone(Expression value) {
    return Expressions.call("coalesce", value, none());
  }

  @Override
  public Expression merge(Expression one, Expression other) {
    return Expressions.call("array_union", one, other);
  }

  @Override
  public Expression aggregate(Expression value) {
    return Expressions.call("array_distinct", Expressions.call("flatten", Expressions.aggregate("collect_list", value)));
  }

  @Override
  public boolean includesInfluences() {
    return true;
  }

  @Override
  public boolean isSmall() {
    return false;
  }
}
