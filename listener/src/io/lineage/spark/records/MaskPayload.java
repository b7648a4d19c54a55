package io.lineage.spark.records;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.BitwiseOr;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataTypes;

/** One bit for each of at most 64 marked rows of one source. */
final class MaskPayload implements Payload {
  static final int MAX_ROWS = 64;

  private final int source;
  private final List<Long> marked;

  /** Marks the rows of the source with this number that have these ids; the first gets the lowest bit. */
  MaskPayload(int source, List<Long> marked) {
    if (marked.size() > MAX_ROWS) {
      throw new IllegalArgumentException("at most " + MAX_ROWS + " rows can be marked");
    }
    this.source = source;
    this.marked = marked;
  }

  @Override
  public Integer column(Scan scan, int number, int leaf) {
    return number == source ? 0 : null;
  }

  @Override
  public int sourceOf(int column) {
    return source;
  }

  @Override
  public Expression ofRow(Scan scan, int number) {
    return new If(Expressions.isOneOf(scan.id, marked), bit(scan.id), none());
  }

  /**
   * Bits are dealt out one by one: a function of the id would give the same bit to several rows. A condition for each
   * bit would make a method too long to be compiled by the JVM.
   */
  private Expression bit(Expression id) {
    Expression ids = new Literal(new GenericArrayData(marked.toArray()), new ArrayType(DataTypes.LongType, false));
    Expression place = Catalyst.expression("Cast", Expressions.call("array_position", ids, id), DataTypes.IntegerType);
    return Expressions.call("shiftleft", Expressions.literal(1L), Expressions.call("-", place, Expressions.literal(1)));
  }

  @Override
  public Expression none() {
    return Expressions.literal(0L);
  }

  @Override
  public Expression orNone(Expression value) {
    return Expressions.call("coalesce", value, none());
  }

  @Override
  public Expression merge(Expression one, Expression other) {
    return new BitwiseOr(one, other);
  }

  @Override
  public Expression aggregate(Expression value) {
    return orNone(Expressions.aggregate("bit_or", value));
  }

  @Override
  public boolean includesInfluences() {
    return true;
  }

  @Override
  public boolean isSmall() {
    return true;
  }
}
