package io.lineage.spark.records;

import java.util.List;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.InSet;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.Literal$;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction;

/** Expressions by the names that Spark's SQL has for them. No type coercion is applied to them. */
final class Expressions {
  private Expressions() {}

  /** Returns a call of a built-in function. */
  static Expression call(String function, Expression... arguments) {
    Object registry = FunctionRegistry$.MODULE$.builtin();
    FunctionIdentifier name = new FunctionIdentifier(function);
    return (Expression) Catalyst.call(registry, "lookupFunction", name, Seqs.of((Object[]) arguments));
  }

  static Expression aggregate(String function, Expression argument) {
    return ((AggregateFunction) call(function, argument)).toAggregateExpression();
  }

  static NamedExpression alias(Expression expression, String name) {
    return (NamedExpression) Catalyst.expression("Alias", expression, name);
  }

  /** Returns the expression as an attribute that other expressions already refer to. */
  static NamedExpression alias(Expression expression, String name, ExprId id) {
    return (NamedExpression) Catalyst.expression("Alias", expression, name, id);
  }

  static Expression literal(Object value) {
    return Literal$.MODULE$.apply(value);
  }

  /** Returns the conjunction of at least one condition. */
  static Expression all(List<Expression> conditions) {
    Expression result = conditions.get(0);
    for (Expression condition : conditions.subList(1, conditions.size())) {
      result = new And(result, condition);
    }
    return result;
  }

  static Expression isOneOf(Expression value, List<Long> values) {
    return new InSet(value, Seqs.of(values).toSet());
  }

  static boolean isTrue(Expression expression) {
    return expression instanceof Literal && Boolean.TRUE.equals(((Literal) expression).value());
  }
}
