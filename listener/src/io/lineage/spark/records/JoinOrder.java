package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;

/**
 * Gives inner joins their conditions from the filter above them, with Spark's own rule. Spark applies it to
 * adjacent joins only, and provenance columns separate them: {@code FROM a, b, c WHERE a.x = c.x AND b.y = c.y}
 * would remain a cross join of {@code a} and {@code b}.
 */
final class JoinOrder {
  private final Rule<LogicalPlan> reorderJoin;

  JoinOrder(Rule<LogicalPlan> reorderJoin) {
    this.reorderJoin = reorderJoin;
  }

  /** Returns an equal plan, with the same output attributes. Plans in subqueries stay as they are. */
  LogicalPlan apply(LogicalPlan plan) {
    return reorderJoin.apply(splitFilters(plan));
  }

  /** Conditions with subqueries stay filters, because the rules that replace subqueries look for them there. */
  private static LogicalPlan splitFilters(LogicalPlan plan) {
    LogicalPlan inner = (LogicalPlan) plan.mapChildren(JoinOrder::splitFilters);
    boolean isOverJoin = inner instanceof Filter && ((Filter) inner).child() instanceof Join;
    return isOverJoin && ((Filter) inner).condition().deterministic() ? split((Filter) inner) : inner;
  }

  private static LogicalPlan split(Filter filter) {
    List<Expression> withSubqueries = new ArrayList<>();
    List<Expression> others = new ArrayList<>();
    for (Expression conjunct : EquiKeys.conjuncts(filter.condition())) {
      (hasSubquery(conjunct) ? withSubqueries : others).add(conjunct);
    }
    if (withSubqueries.isEmpty() || others.isEmpty()) {
      return filter;
    }
    LogicalPlan below = Catalyst.plan("Filter", Expressions.all(others), filter.child());
    return Catalyst.plan("Filter", Expressions.all(withSubqueries), below);
  }

  private static boolean hasSubquery(Expression expression) {
    return Catalyst.isSubquery(expression) || Catalyst.children(expression).stream().anyMatch(JoinOrder::hasSubquery);
  }
}
