package io.lineage.spark.records;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;

/**
 * The parts of a query that depend on the time at which it runs. Columns with the time, or computed from it, are
 * values; they decide which rows a row is made of once another operator uses them. A run of the query now cannot
 * notice that.
 */
final class TimeDependence {
  private static final Set<String> FUNCTIONS =
      new HashSet<>(
          Arrays.asList(
              "CurrentDate", "CurrentTime", "CurrentTimestamp", "CurrentBatchTimestamp", "LocalTimestamp", "Now"));

  /** Texts that are times when they are cast to one. */
  private static final Set<String> WORDS = new HashSet<>(Arrays.asList("now", "today", "tomorrow", "yesterday"));

  /** Operators that use columns in their expressions only. */
  private static final Set<String> PASSING =
      new HashSet<>(
          Arrays.asList(
              "Aggregate", "CollectMetrics", "Filter", "Generate", "GlobalLimit", "Join", "LocalLimit", "Project",
              "RebalancePartitions", "Repartition", "RepartitionByExpression", "ResolvedHint", "Sort", "SubqueryAlias",
              "View", "Window"));

  private final Set<String> functions = new TreeSet<>();
  private final Set<ExprId> columns = new HashSet<>();
  private boolean isDeciding;

  /** The number of functions, with those that are in the query twice. */
  private int times;

  /** Reads an analyzed plan without common table expressions, whose times are still functions. */
  static TimeDependence of(LogicalPlan plan) {
    TimeDependence time = new TimeDependence();
    time.read(plan);
    return time;
  }

  /** Adds the functions as labels of rows that were chosen by an operator on the columns of the query. */
  void label(Labels labels, LogicalPlan choice) {
    boolean isChosen = Catalyst.expressions(choice).stream().anyMatch(this::refersToColumn);
    Labels.Effect effect = isDeciding || isChosen ? Labels.Effect.UNKNOWN : Labels.Effect.EXACT;
    functions.forEach(function -> labels.add(effect, "time-dependent", function));
  }

  private void read(LogicalPlan plan) {
    List<LogicalPlan> children = Catalyst.children(plan);
    children.forEach(this::read);
    boolean isAggregate = plan instanceof Aggregate;
    int list = isAggregate ? 1 : 0;
    boolean hasList = isAggregate || plan instanceof Project;
    List<Expression> values = hasList ? Seqs.list(Catalyst.argument(plan, list)) : Collections.emptyList();
    List<Expression> keys = isAggregate ? Seqs.list(Catalyst.argument(plan, 0)) : Collections.emptyList();
    (hasList ? keys : Catalyst.expressions(plan)).forEach(each -> isDeciding |= depends(each));
    for (Expression value : values) {
      if (depends(value)) {
        columns.add(((NamedExpression) value).exprId());
      }
    }
    isDeciding |= !PASSING.contains(plan.getClass().getSimpleName()) && children.stream().anyMatch(this::hasColumn);
  }

  private boolean hasColumn(LogicalPlan plan) {
    return Catalyst.output(plan).stream().anyMatch(each -> columns.contains(each.exprId()));
  }

  /** Returns whether the value depends on the time; within aggregates and subqueries, it decides on their rows. */
  private boolean depends(Expression expression) {
    boolean depends = isTime(expression) || refersToColumn(expression);
    for (Expression child : Catalyst.children(expression)) {
      depends |= depends(child);
    }
    if (Catalyst.isSubquery(expression)) {
      int before = times + columns.size();
      read((LogicalPlan) ((PlanExpression<?>) expression).plan());
      depends |= times + columns.size() > before;
    }
    isDeciding |= depends && (expression instanceof AggregateExpression || Catalyst.isSubquery(expression));
    return depends;
  }

  private boolean isTime(Expression expression) {
    boolean isFunction = FUNCTIONS.contains(expression.getClass().getSimpleName());
    boolean isWord = expression instanceof Cast && isWord(((Cast) expression).child(), expression);
    if (isFunction || isWord) {
      times++;
      functions.add(isFunction ? expression.prettyName() : ((Cast) expression).child().toString());
    }
    return isFunction || isWord;
  }

  private static boolean isWord(Expression text, Expression cast) {
    boolean isTime = cast.dataType().typeName().matches("date|timestamp.*");
    return isTime && text instanceof Literal && WORDS.contains(text.toString().trim().toLowerCase(Locale.ROOT));
  }

  private boolean refersToColumn(Expression expression) {
    Object outer = PlanTrees.member(expression, "e"); // of a reference to the outer query
    Object column = outer instanceof Attribute ? outer : expression;
    boolean isColumn = column instanceof Attribute && columns.contains(((Attribute) column).exprId());
    return isColumn || Catalyst.children(expression).stream().anyMatch(this::refersToColumn);
  }
}
