package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.expressions.ScalarSubquery;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * Scalar subqueries without correlation. The subquery stays in its expression, which also fails if it has two
 * rows; the provenance of its row is joined beside.
 */
final class Subqueries {
  private final Rewriter rewriter;

  Subqueries(Rewriter rewriter) {
    this.rewriter = rewriter;
  }

  /** Returns the input of an operator, or its output, with the provenance of the subqueries in its expressions. */
  Provenance beside(List<Expression> expressions, Provenance input) {
    Provenance result = input;
    for (Expression subquery : find(expressions)) {
      if (!rewriter.payload.includesInfluences()) {
        rewriter.labels.add(Labels.Effect.SAMPLED, "influence", "no rows of subqueries");
      } else if (subquery instanceof ScalarSubquery && !((ScalarSubquery) subquery).isCorrelated()) {
        result = join(((ScalarSubquery) subquery).plan(), result);
      } else {
        rewriter.labels.add(Labels.Effect.UNKNOWN, "opaque", subquery.nodeName());
      }
    }
    return result;
  }

  private Provenance join(LogicalPlan subquery, Provenance input) {
    rewriter.labels.add(Labels.Effect.EXACT, "influence", "scalar subquery");
    Provenance row = rewriter.rewrite(subquery);
    if (row.columns.isEmpty()) {
      return input;
    }
    Groups whole = Groups.of(rewriter.payload, Collections.emptyList(), row);
    List<Attribute> output = new ArrayList<>(Catalyst.output(input.plan));
    output.removeAll(input.attributes());
    return whole.join(rewriter.payload, input, Collections.emptyList(), output);
  }

  private static List<Expression> find(List<Expression> expressions) {
    Map<Object, Expression> found = new TreeMap<>(java.util.Comparator.comparing(Object::toString));
    for (Expression expression : expressions) {
      Catalyst.transform(
          expression,
          each -> {
            if (Catalyst.isSubquery(each)) {
              found.put(((PlanExpression<?>) each).exprId(), each);
            }
            return each;
          });
    }
    return new ArrayList<>(found.values());
  }
}
