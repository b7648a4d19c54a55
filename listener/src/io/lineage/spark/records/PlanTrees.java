package io.lineage.spark.records;

import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Access to Spark's trees for other packages. */
public final class PlanTrees {
  private PlanTrees() {}

  public static List<LogicalPlan> children(LogicalPlan plan) {
    return Catalyst.children(plan);
  }

  /** Visits each node of a plan, and those of its subqueries. */
  public static void visit(LogicalPlan plan, Consumer<LogicalPlan> visitor) {
    visitor.accept(plan);
    Catalyst.children(plan).forEach(child -> visit(child, visitor));
    Catalyst.expressions(plan).forEach(expression -> visitSubqueries(expression, visitor));
  }

  private static void visitSubqueries(Expression expression, Consumer<LogicalPlan> visitor) {
    if (Catalyst.isSubquery(expression)) {
      visit((LogicalPlan) ((PlanExpression<?>) expression).plan(), visitor);
    }
    Catalyst.children(expression).forEach(child -> visitSubqueries(child, visitor));
  }

  /** Returns the elements of a sequence of Scala. */
  public static List<Object> list(Object sequence) {
    return Seqs.list(sequence);
  }

  /** Returns the value of a public method without parameters, or null if the object has none of this name. */
  public static Object member(Object object, String name) {
    try {
      return object.getClass().getMethod(name).invoke(object);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** Calls a method with an argument. */
  public static void call(Object object, String name, Object argument) {
    Catalyst.call(object, name, argument);
  }

  /** Returns the result of a method for an argument, or null if it fails. */
  public static Object answer(Object object, String name, Object argument) {
    try {
      return Catalyst.call(object, name, argument);
    } catch (Exception e) { // Spark throws checked exceptions that its methods do not declare
      return null;
    }
  }

  /** Returns the value of a key in a map of Scala, whatever the case of its letters, or null. */
  public static Object option(scala.collection.immutable.Map<?, ?> map, String name) {
    for (scala.collection.Iterator<?> each = map.iterator(); each.hasNext(); ) {
      scala.Tuple2<?, ?> entry = (scala.Tuple2<?, ?>) each.next();
      if (name.equalsIgnoreCase(String.valueOf(entry._1()))) {
        return entry._2();
      }
    }
    return null;
  }

  public static Object emptyMap() {
    return Catalyst.call(Catalyst.object("scala.collection.immutable.Map"), "empty");
  }
}
