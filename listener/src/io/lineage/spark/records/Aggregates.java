package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Expand;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Aggregates: a group is made of all its rows. */
final class Aggregates {
  private static final int GROUPING = 0;
  private static final int RESULTS = 1;

  private final Rewriter rewriter;

  Aggregates(Rewriter rewriter) {
    this.rewriter = rewriter;
  }

  Provenance aggregate(Aggregate aggregate) {
    List<Expression> results = Seqs.list(Catalyst.argument(aggregate, RESULTS));
    rewriter.determinism.check(results);
    Rewriter copy = rewriter.copy();
    Provenance child = rewriter.rewrite(aggregate.child());
    if (child.columns.isEmpty()) {
      return child.through(withChild(aggregate, child.plan));
    }
    if (!rewriter.payload.includesInfluences()) {
      rewriter.labels.add(Labels.Effect.SAMPLED, "aggregate", "one row of each group");
    }
    if (results.stream().anyMatch(Aggregates::isPython)) {
      return beside(withChild(aggregate, child.plan), copy.rewrite(aggregate.child()), Catalyst.output(aggregate));
    }
    Map<Integer, NamedExpression> columns = child.map(rewriter.payload::aggregate);
    List<Object> all = Seqs.concat(results, new ArrayList<>(columns.values()));
    LogicalPlan plan = Catalyst.with(withChild(aggregate, child.plan), RESULTS, Seqs.of(all));
    return new Provenance(plan, Provenance.attributes(columns));
  }

  /** Spark computes no function in Python together with one of its own: they are joined by the group. */
  private Provenance beside(LogicalPlan aggregate, Provenance child, List<Attribute> output) {
    List<Expression> grouping = Seqs.list(Catalyst.argument(aggregate, GROUPING));
    List<NamedExpression> keys = new ArrayList<>();
    grouping.forEach(key -> keys.add(Expressions.alias(key, "__key")));
    List<Object> results = Seqs.concat(Seqs.<Object>list(Catalyst.argument(aggregate, RESULTS)), keys);
    LogicalPlan values = Catalyst.with(aggregate, RESULTS, Seqs.of(results));
    Groups groups = Groups.of(rewriter.payload, grouping, child);
    List<Expression> conditions = new ArrayList<>();
    for (int index = 0; index < keys.size(); index++) {
      conditions.add(Expressions.call("<=>", keys.get(index).toAttribute(), groups.keys.get(index)));
    }
    Provenance nothing = new Provenance(values, new TreeMap<>());
    return groups.join(rewriter.payload, nothing, conditions, output);
  }

  private static LogicalPlan withChild(LogicalPlan plan, LogicalPlan child) {
    return Catalyst.withChildren(plan, java.util.Collections.singletonList(child));
  }

  private static boolean isPython(Expression expression) {
    return expression.getClass().getSimpleName().equals("PythonUDAF")
        || Catalyst.children(expression).stream().anyMatch(Aggregates::isPython);
  }

  /** Each input row gives one row for each grouping set. */
  Provenance expand(Expand expand) {
    Provenance child = rewriter.rewrite(expand.child());
    List<Attribute> carried = child.attributes();
    List<Object> projections = new ArrayList<>();
    for (Object projection : Seqs.<Object>list(Catalyst.argument(expand, 0))) {
      projections.add(Seqs.of(Seqs.concat(Seqs.<Object>list(projection), carried)));
    }
    Map<Integer, Attribute> columns = new TreeMap<>();
    child.columns.forEach((column, attribute) -> columns.put(column, attribute.newInstance()));
    List<Object> output = Seqs.concat(Seqs.<Object>list(Catalyst.argument(expand, 1)), new ArrayList<>(columns.values()));
    return new Provenance(Catalyst.plan("Expand", Seqs.of(projections), Seqs.of(output), child.plan), columns);
  }
}
