package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** The condition of a join as equal expressions of both sides, conditions on one side, and others. */
final class EquiKeys {
  final List<Expression> right = new ArrayList<>();

  /** Whether rows with equal keys may still not match. */
  boolean hasOtherConditions;

  private final List<Expression> left = new ArrayList<>();
  private final List<Boolean> nullSafe = new ArrayList<>();
  private final List<Expression> onlyRight = new ArrayList<>();
  private final List<Expression> onlyLeft = new ArrayList<>();
  private final AttributeSet leftOutput;
  private final AttributeSet rightOutput;

  private EquiKeys(Join join) {
    leftOutput = join.left().outputSet();
    rightOutput = join.right().outputSet();
  }

  static EquiKeys of(Join join) {
    EquiKeys keys = new EquiKeys(join);
    if (join.condition().isDefined()) {
      for (Expression conjunct : conjuncts(join.condition().get())) {
        keys.add(conjunct);
      }
    }
    return keys;
  }

  static List<Expression> conjuncts(Expression condition) {
    List<Expression> result = new ArrayList<>();
    if (condition instanceof And) {
      result.addAll(conjuncts(((And) condition).left()));
      result.addAll(conjuncts(((And) condition).right()));
    } else {
      result.add(condition);
    }
    return result;
  }

  private void add(Expression conjunct) {
    boolean isNullSafe = conjunct instanceof EqualNullSafe;
    if (isNullSafe || conjunct instanceof EqualTo) {
      List<Expression> sides = Catalyst.children(conjunct);
      if (addPair(sides.get(0), sides.get(1), isNullSafe) || addPair(sides.get(1), sides.get(0), isNullSafe)) {
        return;
      }
    }
    if (conjunct.deterministic() && isOf(conjunct, rightOutput)) {
      onlyRight.add(conjunct);
    } else if (conjunct.deterministic() && isOf(conjunct, leftOutput)) {
      onlyLeft.add(conjunct);
    } else if (!Expressions.isTrue(conjunct)) {
      hasOtherConditions = true;
    }
  }

  private boolean addPair(Expression one, Expression other, boolean isNullSafe) {
    if (!isOf(one, leftOutput) || !isOf(other, rightOutput)) {
      return false;
    }
    left.add(one);
    right.add(other);
    nullSafe.add(isNullSafe);
    return true;
  }

  private static boolean isOf(Expression expression, AttributeSet attributes) {
    return !expression.references().isEmpty() && expression.references().subsetOf(attributes);
  }

  /** Returns those rows of the right side that can match. */
  LogicalPlan filterRight(LogicalPlan plan) {
    return onlyRight.isEmpty() ? plan : Catalyst.plan("Filter", Expressions.all(onlyRight), plan);
  }

  /**
   * Returns the equality of the left side with other attributes for the keys of the right side, and the conditions on
   * the left side: a row that does not meet them has no match, and stays if the match is only a value.
   */
  List<Expression> conditions(List<Attribute> keys) {
    List<Expression> result = new ArrayList<>(onlyLeft);
    for (int index = 0; index < left.size(); index++) {
      Expression key = keys.get(index);
      result.add(
          nullSafe.get(index) ? new EqualNullSafe(left.get(index), key) : new EqualTo(left.get(index), key));
    }
    return result;
  }
}
