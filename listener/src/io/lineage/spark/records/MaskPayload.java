package io.lineage.spark.records;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.BitwiseOr;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;

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
  public Integer column(int number, int leaf) {
    return number == source ? 0 : null;
  }

  @Override
  public Expression ofRow(Scan scan, int number) {
    return new If(Expressions.isOneOf(scan.id, marked), bit(scan.id), none());
  }

  /** Bits are dealt out one by one: a function of the id would give the same bit to several rows. */
  private Expression bit(Expression id) {
    Expression result = none();
    for (int index = marked.size() - 1; index >= 0; index--) {
      Expression isRow = new EqualTo(id, Expressions.literal(marked.get(index)));
      result = new If(isRow, Expressions.literal(1L << index), result);
    }
    return result;
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
  public boolean includesFrames() {
    return true;
  }

  @Override
  public boolean isSmall() {
    return true;
  }
}
