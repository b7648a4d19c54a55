package io.lineage.spark.records;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Expand;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.Window;

/**
 * Adds provenance columns to each operator of a normalized plan. The columns of the query are computed by the
 * operators of the query, so that they keep their values.
 */
final class Rewriter {
  /** Operators whose output rows are rows of their input, with the same columns. */
  private static final Set<String> PASSING =
      new HashSet<>(
          Arrays.asList(
              "GlobalLimit", "LocalLimit", "Tail", "Offset", "Sort", "Sample", "Repartition", "RepartitionByExpression",
              "RebalancePartitions", "CollectMetrics", "SubqueryAlias", "EventTimeWatermark", "ResolvedHint"));

  final Payload payload;
  final Labels labels;
  final Sources sources;
  final Determinism determinism;
  private final Observer observer;
  private final Joins joins = new Joins(this);
  private final Aggregates aggregates = new Aggregates(this);
  private final Windows windows = new Windows(this);
  private final Subqueries subqueries = new Subqueries(this);
  private int leaves;

  Rewriter(Payload payload, Sources sources, Labels labels, Observer observer) {
    this.payload = payload;
    this.labels = labels;
    this.sources = sources;
    this.determinism = new Determinism(labels);
    this.observer = observer;
  }

  Provenance rewrite(LogicalPlan plan) {
    observer.enter(plan);
    return observer.observe(plan, rewriteOperator(plan));
  }

  private Provenance rewriteOperator(LogicalPlan plan) {
    if (Catalyst.children(plan).isEmpty()) {
      return leaf(plan);
    } else if (plan instanceof Project) {
      return project((Project) plan);
    } else if (plan instanceof Filter) {
      return filter((Filter) plan);
    } else if (plan instanceof Aggregate) {
      return subqueries.beside(Catalyst.expressions(plan), aggregates.aggregate((Aggregate) plan));
    } else if (plan instanceof Expand) {
      return aggregates.expand((Expand) plan);
    } else if (plan instanceof Join) {
      return subqueries.beside(Catalyst.expressions(plan), joins.join((Join) plan));
    } else if (plan instanceof Union) {
      return Unions.union(this, (Union) plan);
    } else if (plan instanceof Window) {
      return subqueries.beside(Catalyst.expressions(plan), windows.window((Window) plan));
    } else if (plan instanceof Generate) {
      return generate((Generate) plan);
    }
    return PASSING.contains(plan.getClass().getSimpleName()) ? pass(plan) : opaque(plan);
  }

  private Provenance leaf(LogicalPlan leaf) {
    if (!Sources.isSource(leaf)) {
      return new Provenance(leaf, Collections.emptyMap());
    }
    Scan scan = Scan.of(leaf);
    int source = sources.number(scan);
    Integer column = payload.column(scan, source, leaves++);
    if (column == null) {
      return new Provenance(leaf, Collections.emptyMap());
    }
    if (scan.isByContent()) {
      labels.add(Labels.Effect.EXACT, "content-hash", scan.dataset.text);
    }
    if (scan.parseMode().equals("DROPMALFORMED")) {
      labels.add(Labels.Effect.UNKNOWN, "malformed", scan.dataset.text); // dropped by columns that the query reads
    }
    Map<Integer, NamedExpression> columns = new TreeMap<>();
    columns.put(column, Provenance.named(column, payload.ofRow(scan, source)));
    return Provenance.project(Catalyst.output(leaf), columns, scan.plan);
  }

  private Provenance project(Project project) {
    List<Expression> list = Seqs.list(Catalyst.argument(project, 0));
    determinism.check(list);
    Provenance child = subqueries.beside(list, rewrite(project.child()));
    List<Object> columns = Seqs.concat(list, child.attributes());
    return child.through(Catalyst.plan("Project", Seqs.of(columns), child.plan));
  }

  private Provenance filter(Filter filter) {
    List<Expression> condition = Collections.singletonList(filter.condition());
    determinism.check(condition);
    Provenance child = observer.filter(filter, rewrite(filter.child()));
    Provenance input = subqueries.beside(condition, child);
    return input.through(Catalyst.plan("Filter", filter.condition(), input.plan));
  }

  private Provenance generate(Generate generate) {
    Expression generator = (Expression) generate.generator();
    determinism.check(Collections.singletonList(generator));
    if (generator.getClass().getSimpleName().contains("UDTF")) {
      labels.add(Labels.Effect.UNKNOWN, "opaque", generator.getClass().getSimpleName());
    }
    return pass(generate);
  }

  private Provenance pass(LogicalPlan plan) {
    determinism.checkOperator(plan);
    Provenance child = rewrite(Catalyst.children(plan).get(0));
    return child.through(Catalyst.withChildren(plan, Collections.singletonList(child.plan)));
  }

  private Provenance opaque(LogicalPlan plan) {
    labels.add(Labels.Effect.UNKNOWN, "opaque", plan.nodeName());
    return new Provenance(plan, Collections.emptyMap());
  }

  /**
   * Returns a rewriter of a further copy of the plan that this one rewrites next. The copy has the same columns,
   * and its rows are not observed again.
   */
  Rewriter copy() {
    Rewriter copy = new Rewriter(payload, sources, labels, Observer.NONE);
    copy.leaves = leaves;
    return copy;
  }
}
