package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.LeftOuter$;
import org.apache.spark.sql.catalyst.plans.logical.JoinHint$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Option;

/**
 * The provenance of the groups of a plan's rows, one row a group. It is joined to rows that depend on a whole
 * group, beside the operator that computes their values.
 */
final class Groups {
  final List<Attribute> keys;
  private final Provenance grouped;

  private Groups(List<Attribute> keys, Provenance grouped) {
    this.keys = keys;
    this.grouped = grouped;
  }

  /** Groups the rows of a plan by these expressions; without any, all rows are one group. */
  static Groups of(Payload payload, List<? extends Expression> keys, Provenance rows) {
    List<NamedExpression> named = new ArrayList<>();
    keys.forEach(key -> named.add(Expressions.alias(key, "__key")));
    LogicalPlan projected =
        Catalyst.plan("Project", Seqs.of(Seqs.<Object>concat(named, rows.attributes())), rows.plan);
    List<Attribute> grouping = new ArrayList<>();
    List<NamedExpression> fresh = new ArrayList<>();
    for (NamedExpression key : named) {
      grouping.add(key.toAttribute());
      fresh.add(Expressions.alias(key.toAttribute(), "__key"));
    }
    Map<Integer, NamedExpression> columns = rows.map(payload::aggregate);
    List<Object> results = Seqs.concat(fresh, new ArrayList<>(columns.values()));
    LogicalPlan plan = Catalyst.plan("Aggregate", Seqs.of(grouping), Seqs.of(results), projected);
    List<Attribute> attributes = new ArrayList<>();
    fresh.forEach(key -> attributes.add(key.toAttribute()));
    return new Groups(attributes, new Provenance(plan, Provenance.attributes(columns)));
  }

  /** Joins the rows to at most one group each, and projects them to this output and the merged columns. */
  Provenance join(Payload payload, Provenance rows, List<Expression> conditions, List<Attribute> output) {
    Option<Expression> condition =
        conditions.isEmpty() ? Option.empty() : Option.apply(Expressions.all(conditions));
    LogicalPlan join =
        Catalyst.plan(
            "Join", rows.plan, grouped.plan, LeftOuter$.MODULE$, condition, JoinHint$.MODULE$.NONE());
    return Provenance.project(output, Provenance.merge(payload, rows, grouped), join);
  }
}
