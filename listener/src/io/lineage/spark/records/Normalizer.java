package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;

/**
 * Spark's own rules that replace subqueries, lateral joins, set operations and DISTINCT by joins and aggregates.
 * The rules of this package then have few operators to know. Nothing is pruned, and nothing is reordered unless
 * this is asked for, so that each row still passes the operators of the query.
 */
final class Normalizer {
  private static final String OPTIMIZER = "org.apache.spark.sql.catalyst.optimizer.";

  /** Subqueries inside of subqueries become joins first, as in Spark's optimizer. */
  private static final List<String> BEFORE_SUBQUERIES =
      Arrays.asList(
          "OptimizeOneRowRelationSubquery", "PullOutNestedDataOuterRefExpressions", "PullupCorrelatedPredicates");

  private static final List<String> AFTER_SUBQUERIES =
      Arrays.asList(
          "RewriteExceptAll",
          "RewriteIntersectAll",
          "ReplaceIntersectWithSemiJoin",
          "ReplaceExceptWithFilter",
          "ReplaceExceptWithAntiJoin",
          "ReplaceDistinctWithAggregate",
          "ReplaceDeduplicateWithAggregate",
          "RewriteCorrelatedScalarSubquery",
          "RewriteLateralSubquery",
          "RewritePredicateSubquery");

  /** Each pass removes one level of operators that a rule has created; plans need two or three. */
  private static final int MAX_PASSES = 5;

  private final List<Rule<LogicalPlan>> analysis;
  private final List<Rule<LogicalPlan>> before = rules(BEFORE_SUBQUERIES);
  private final List<Rule<LogicalPlan>> after = rules(AFTER_SUBQUERIES);
  private final List<Rule<LogicalPlan>> pruning = rules(Arrays.asList("ColumnPruning"));
  private final JoinOrder joinOrder = new JoinOrder(rule(Catalyst.object(OPTIMIZER + "ReorderJoin")));

  Normalizer(Object optimizer) {
    analysis = Arrays.asList(rule(Catalyst.make(OPTIMIZER + "InlineCTE", true)), rule(finish(optimizer)));
  }

  private static Object finish(Object optimizer) {
    return Catalyst.call(optimizer, "FinishAnalysis");
  }

  /** Returns the plan without common table expressions. */
  LogicalPlan inlineDefinitions(LogicalPlan plan) {
    return analysis.get(0).apply(plan);
  }

  /** Returns the plan without views, aliases and common table expressions, with its subqueries as they are. */
  LogicalPlan finishAnalysis(LogicalPlan plan) {
    return apply(analysis, plan);
  }

  /** Returns a plan of joins and aggregates that is equal to a finished one, with the same leaves and attributes. */
  LogicalPlan normalize(LogicalPlan finished) {
    return rewrite(finished, UnaryOperator.identity());
  }

  /** Returns a normalized plan whose operators have no column that nothing above them needs. */
  LogicalPlan prune(LogicalPlan normalized) {
    return repeat(pruning, normalized);
  }

  /** Returns a normalized plan, of a finished one, whose inner joins have the conditions of the filters above them. */
  LogicalPlan normalizeReordered(LogicalPlan finished) {
    return rewrite(finished, joinOrder::apply);
  }

  private LogicalPlan rewrite(LogicalPlan plan, UnaryOperator<LogicalPlan> reorder) {
    LogicalPlan ordered = reorder.apply(apply(before, plan));
    return repeat(after, Catalyst.transformSubqueries(ordered, subquery -> rewrite(subquery, reorder)));
  }

  private static LogicalPlan repeat(List<Rule<LogicalPlan>> rules, LogicalPlan plan) {
    LogicalPlan last = plan;
    for (int pass = 0; pass < MAX_PASSES; pass++) {
      LogicalPlan next = apply(rules, last);
      if (next.fastEquals(last)) {
        return next;
      }
      last = next;
    }
    return last;
  }

  private static LogicalPlan apply(List<Rule<LogicalPlan>> rules, LogicalPlan plan) {
    LogicalPlan result = plan;
    for (Rule<LogicalPlan> rule : rules) {
      result = rule.apply(result);
    }
    return result;
  }

  private static List<Rule<LogicalPlan>> rules(List<String> names) {
    List<Rule<LogicalPlan>> rules = new ArrayList<>();
    for (String name : names) {
      if (exists(name)) {
        rules.add(rule(Catalyst.object(OPTIMIZER + name)));
      }
    }
    return rules;
  }

  /** Spark 3.5 lacks some of the rules, and the operators that they replace. */
  private static boolean exists(String name) {
    try {
      Class.forName(OPTIMIZER + name + "$", false, Rule.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  @SuppressWarnings("unchecked")
  private static Rule<LogicalPlan> rule(Object rule) {
    return (Rule<LogicalPlan>) rule;
  }
}
