package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** A plan with its provenance columns, which are beside the columns of its output. */
final class Provenance {
  final LogicalPlan plan;

  /** The attribute of each column that the payload has below this plan. */
  final Map<Integer, Attribute> columns;

  Provenance(LogicalPlan plan, Map<Integer, Attribute> columns) {
    this.plan = plan;
    this.columns = columns;
  }

  /** Returns the columns of a plan through which they pass unchanged. */
  Provenance through(LogicalPlan other) {
    return new Provenance(other, columns);
  }

  List<Attribute> attributes() {
    return new ArrayList<>(columns.values());
  }

  /** Returns a named expression for each column. */
  Map<Integer, NamedExpression> map(UnaryOperator<Expression> value) {
    Map<Integer, NamedExpression> result = new TreeMap<>();
    columns.forEach((column, attribute) -> result.put(column, named(column, value.apply(attribute))));
    return result;
  }

  /** Projects a plan to its output and these columns. */
  static Provenance project(
      List<? extends NamedExpression> output, Map<Integer, NamedExpression> columns, LogicalPlan plan) {
    List<NamedExpression> all = new ArrayList<>(output);
    all.addAll(columns.values());
    return new Provenance(Catalyst.plan("Project", Seqs.of(all), plan), attributes(columns));
  }

  static Map<Integer, Attribute> attributes(Map<Integer, NamedExpression> columns) {
    Map<Integer, Attribute> result = new TreeMap<>();
    columns.forEach((column, expression) -> result.put(column, expression.toAttribute()));
    return result;
  }

  static NamedExpression named(int column, Expression value) {
    return Expressions.alias(value, Annotated.name(column));
  }

  /** Merges the columns of two plans whose rows are joined; either may lack a row. */
  static Map<Integer, NamedExpression> merge(Payload payload, Provenance one, Provenance other) {
    Map<Integer, NamedExpression> result = new TreeMap<>();
    TreeSet<Integer> all = new TreeSet<>(one.columns.keySet());
    all.addAll(other.columns.keySet());
    for (Integer column : all) {
      Attribute left = one.columns.get(column);
      Attribute right = other.columns.get(column);
      boolean isInBoth = left != null && right != null;
      result.put(
          column,
          named(
              column,
              isInBoth
                  ? payload.merge(payload.orNone(left), payload.orNone(right))
                  : payload.orNone(left == null ? right : left)));
    }
    return result;
  }
}
