package io.lineage.spark.records;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.If;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;

/**
 * Adds observations of the marked rows to the operators at which rows can end. An observation is Spark's own
 * CollectMetrics: no filter moves below it, so that each row passes the operators of the query in their order.
 */
final class Trail implements Observer {
  private static final Set<String> OBSERVED =
      new HashSet<>(
          Arrays.asList(
              "Filter", "Join", "Aggregate", "Union", "Generate", "GlobalLimit", "Offset", "Tail", "Sample"));

  /** A plan identifies the observations of a frame by a number; this number needs no frame. */
  private static final long NO_FRAME = -1L;

  private final List<Step> steps = new ArrayList<>();

  /** The operators that are being rewritten, the innermost first. */
  private final Deque<LogicalPlan> operators = new ArrayDeque<>();

  /** For each of them, the steps of its inputs so far. */
  private final Deque<List<Integer>> inputs = new ArrayDeque<>();

  private final List<Integer> results = new ArrayList<>();

  List<Step> steps() {
    return steps;
  }

  @Override
  public void enter(LogicalPlan operator) {
    operators.push(operator);
    inputs.push(new ArrayList<>());
  }

  @Override
  public Provenance observe(LogicalPlan operator, Provenance rewritten) {
    operators.pop();
    List<Integer> below = inputs.pop();
    boolean isWithinScan = !operators.isEmpty() && isScan(operators.peek());
    if (isWithinScan || !isScan(operator) && !OBSERVED.contains(operator.getClass().getSimpleName())) {
      addToParent(below);
      return rewritten;
    }
    Step step = operator instanceof Filter ? steps.get(steps.size() - 1) : add(operator, below);
    addToParent(Arrays.asList(steps.indexOf(step)));
    return observe(step, rewritten);
  }

  /** Rows of a scan are observed above the choice of its columns, so that the others are not read. */
  private static boolean isScan(LogicalPlan operator) {
    if (operator instanceof Project) {
      List<Object> columns = Seqs.list(Catalyst.argument(operator, 0));
      boolean isChoice = columns.stream().allMatch(column -> column instanceof Attribute);
      return isChoice && Catalyst.children(Catalyst.children(operator).get(0)).isEmpty();
    }
    return Catalyst.children(operator).isEmpty();
  }

  /** Returns the rewritten plan with an observation of the result. */
  Provenance result(Provenance rewritten) {
    return observe(add("Result", "", new ArrayList<>(results)), rewritten);
  }

  private static Provenance observe(Step step, Provenance rewritten) {
    List<NamedExpression> metrics = new ArrayList<>();
    metrics.add(Expressions.alias(Expressions.aggregate("count", Expressions.literal(1)), "rows"));
    for (Attribute mask : rewritten.attributes()) {
      metrics.add(Expressions.alias(bits(mask), "alive"));
    }
    return rewritten.through(metrics(step.output(), metrics, rewritten.plan));
  }

  /** Observes which marked rows meet each part of a condition, before the rows that do not are gone. */
  @Override
  public Provenance filter(Filter filter, Provenance input) {
    Step step = add(filter, new ArrayList<>(inputs.peek()));
    List<NamedExpression> metrics = new ArrayList<>();
    for (Expression conjunct : EquiKeys.conjuncts(filter.condition())) {
      for (Attribute mask : input.attributes()) {
        if (canObserve(conjunct)) {
          step.conditions.add(text(conjunct));
          Expression meets = new If(conjunct, mask, Expressions.literal(0L));
          metrics.add(Expressions.alias(bits(meets), "passing" + metrics.size()));
        }
      }
    }
    return metrics.isEmpty() ? input : input.through(metrics(step.input(), metrics, input.plan));
  }

  private Step add(LogicalPlan operator, List<Integer> below) {
    String name = isScan(operator) ? "Scan" : operator.nodeName();
    return add(name, detail(operator), below);
  }

  private Step add(String name, String detail, List<Integer> below) {
    Step step = new Step(steps.size(), name, detail, below);
    steps.add(step);
    return step;
  }

  private void addToParent(List<Integer> numbers) {
    (inputs.isEmpty() ? results : inputs.peek()).addAll(numbers);
  }

  private static boolean canObserve(Expression condition) {
    boolean isPlain = condition.deterministic() && !Catalyst.isSubquery(condition);
    return isPlain
        && !condition.getClass().getSimpleName().contains("Python")
        && Catalyst.children(condition).stream().allMatch(Trail::canObserve);
  }

  private static Expression bits(Expression mask) {
    return Expressions.aggregate("bit_or", mask);
  }

  private static LogicalPlan metrics(String name, List<NamedExpression> metrics, LogicalPlan child) {
    return Catalyst.plan("CollectMetrics", name, Seqs.of(metrics), child, NO_FRAME);
  }

  private static String detail(LogicalPlan operator) {
    if (operator instanceof Filter) {
      return text(((Filter) operator).condition());
    } else if (operator instanceof Join) {
      Join join = (Join) operator;
      String on = join.condition().isDefined() ? " ON " + text(join.condition().get()) : "";
      return Joins.name(join) + on;
    } else if (operator instanceof Aggregate) {
      return sql(Seqs.list(Catalyst.argument(operator, 0)));
    } else if (operator instanceof Generate) {
      return text((Expression) ((Generate) operator).generator());
    }
    if (!isScan(operator)) {
      return "";
    }
    return DatasetName.of(operator instanceof Project ? Catalyst.children(operator).get(0) : operator).text;
  }

  private static String sql(List<Expression> expressions) {
    List<String> texts = new ArrayList<>();
    expressions.forEach(expression -> texts.add(text(expression)));
    return String.join(", ", texts);
  }

  /** Not every expression of a normalized plan has a SQL text. */
  private static String text(Expression expression) {
    try {
      return expression.sql();
    } catch (RuntimeException e) {
      return expression.toString();
    }
  }
}
