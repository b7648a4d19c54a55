package io.lineage.spark.records;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Labels expressions and operators whose result depends on more than the values of their rows. */
final class Determinism {
  /** Aggregates whose result is one of the values, or depends on their order. */
  private static final Set<String> ORDERED =
      new HashSet<>(
          Arrays.asList("First", "Last", "AnyValue", "CollectList", "CollectSet", "ListAgg", "Mode", "MaxBy", "MinBy"));

  private static final Set<String> ONE_OF_GROUP = new HashSet<>(Arrays.asList("First", "Last", "AnyValue"));

  private final Labels labels;

  Determinism(Labels labels) {
    this.labels = labels;
  }

  void check(List<? extends Expression> expressions) {
    expressions.forEach(this::check);
  }

  private void check(Expression expression) {
    if (expression instanceof AggregateExpression) {
      Expression function = ((AggregateExpression) expression).aggregateFunction();
      String name = function.getClass().getSimpleName();
      if (ORDERED.contains(name)) {
        boolean isOne = ONE_OF_GROUP.contains(name);
        Labels.Effect effect = isOne ? Labels.Effect.SUPERSET : Labels.Effect.EXACT;
        labels.add(effect, "order-dependent", function.prettyName());
        check(Catalyst.children(function));
        return;
      }
    }
    List<Expression> children = Catalyst.children(expression);
    if (!expression.deterministic() && children.stream().allMatch(Expression::deterministic)) {
      if (!Catalyst.isSubquery(expression)) {
        labels.add(Labels.Effect.UNKNOWN, "nondeterministic", expression.prettyName());
      }
    }
    check(children);
  }

  /** Labels an operator that chooses rows by their position or at random. */
  void checkOperator(LogicalPlan plan) {
    String name = plan.getClass().getSimpleName();
    if (name.equals("Sample")) {
      labels.add(Labels.Effect.UNKNOWN, "nondeterministic", name);
    } else if (name.equals("Offset") || name.equals("Tail")) {
      labels.add(Labels.Effect.UNKNOWN, "position", name);
    }
  }
}
