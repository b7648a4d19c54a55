package io.lineage.spark;

import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.catalyst.plans.logical.WithCTE;
import org.apache.spark.sql.catalyst.trees.Origin;
import scala.Option;
import scala.collection.Iterator;

/**
 * The argument of spark.sql. Operators store the statement from which they were parsed, and relations may store
 * an earlier one, because Spark caches them. A statement is used only if the operator comes from the statement
 * itself and extends to its end.
 */
final class SqlText {
  private SqlText() {}

  /** Returns the statement of the plan, or of the query that a command writes. */
  static String of(LogicalPlan plan) {
    if (!(plan instanceof Command)) {
      return whole(plan, false);
    }
    if (plan.origin().sqlText().isDefined()) {
      return plan.origin().sqlText().get(); // commands are not cached
    }
    Object query = first(SparkReflection.children(plan).iterator());
    if (query == null) {
      query = first(SparkReflection.innerChildren(plan).iterator());
    }
    return query instanceof LogicalPlan ? whole((LogicalPlan) query, true) : null;
  }

  private static Object first(Iterator<?> iterator) {
    return iterator.hasNext() ? iterator.next() : null;
  }

  private static String whole(LogicalPlan plan, boolean mayStartLater) {
    LogicalPlan main = plan instanceof WithCTE ? ((WithCTE) plan).plan() : plan;
    Origin origin = main.origin();
    if (origin.sqlText().isEmpty() || namesTable(main)) {
      return null;
    }
    String text = origin.sqlText().get();
    boolean mayStart = mayStartLater || main != plan || at(origin.startIndex(), -1) <= start(text);
    return mayStart && at(origin.stopIndex(), text.length()) + 1 >= end(text) ? text : null;
  }

  private static boolean namesTable(LogicalPlan plan) {
    return plan instanceof SubqueryAlias
        || plan instanceof View
        || SparkReflection.children(plan).isEmpty() && !(plan instanceof Command);
  }

  private static int at(Option<Object> index, int otherwise) {
    return index.isDefined() ? (Integer) index.get() : otherwise;
  }

  private static int start(String text) {
    int at = 0;
    while (at < text.length() && text.charAt(at) <= ' ') {
      at++;
    }
    return at;
  }

  private static int end(String text) {
    int at = text.length();
    while (at > 0 && (text.charAt(at - 1) <= ' ' || text.charAt(at - 1) == ';')) {
      at--;
    }
    return at;
  }
}
