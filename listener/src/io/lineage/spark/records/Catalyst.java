package io.lineage.spark.records;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.PlanExpression;
import org.apache.spark.sql.catalyst.plans.QueryPlan;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.QueryExecution;
import scala.Product;

/**
 * Construction and traversal of Spark's trees by members whose signatures differ between versions of Spark and
 * Scala. They are looked up by name at each call, because a plan has few nodes.
 */
final class Catalyst {
  private static final String PLANS = "org.apache.spark.sql.catalyst.plans.logical.";
  private static final String EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions.";
  private static final String DEFAULT = "$lessinit$greater$default$";

  private Catalyst() {}

  static LogicalPlan plan(String name, Object... arguments) {
    return (LogicalPlan) make(PLANS + name, arguments);
  }

  static Expression expression(String name, Object... arguments) {
    return (Expression) make(EXPRESSIONS + name, arguments);
  }

  /** Creates an object of a case class. Parameters without an argument get their default. */
  static Object make(String type, Object... arguments) {
    try {
      Class<?> made = Class.forName(type, true, TreeNode.class.getClassLoader());
      for (Constructor<?> constructor : made.getConstructors()) {
        if (accepts(constructor.getParameterTypes(), arguments)) {
          return constructor.newInstance(withDefaults(type, constructor, arguments));
        }
      }
    } catch (InvocationTargetException e) {
      throw new IllegalStateException("Spark could not create " + type + ": " + e.getCause(), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Spark does not have " + type, e);
    }
    throw new IllegalStateException("Spark has no constructor of " + type + " for these arguments");
  }

  private static boolean accepts(Class<?>[] types, Object[] arguments) {
    if (types.length < arguments.length) {
      return false;
    }
    for (int index = 0; index < arguments.length; index++) {
      if (arguments[index] != null && !types[index].isPrimitive() && !types[index].isInstance(arguments[index])) {
        return false;
      }
    }
    return true;
  }

  private static Object[] withDefaults(String type, Constructor<?> constructor, Object[] arguments)
      throws ReflectiveOperationException {
    Object[] all = java.util.Arrays.copyOf(arguments, constructor.getParameterCount());
    Object companion = arguments.length < all.length ? object(type) : null;
    for (int index = arguments.length; index < all.length; index++) {
      Method method = method(companion.getClass(), DEFAULT + (index + 1));
      all[index] = method.invoke(companion, java.util.Arrays.copyOf(all, method.getParameterCount()));
    }
    return all;
  }

  /** Returns a Scala object, such as a rule of the optimizer. */
  static Object object(String type) {
    try {
      return Class.forName(type + "$", true, TreeNode.class.getClassLoader()).getField("MODULE$").get(null);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Spark does not have " + type, e);
    }
  }

  /** Calls the first method of this name that has as many parameters as there are arguments. */
  static Object call(Object target, String name, Object... arguments) {
    for (Method method : target.getClass().getMethods()) {
      if (method.getName().equals(name) && accepts(method, arguments)) {
        return invoke(method, target, arguments);
      }
    }
    throw new IllegalStateException("Spark does not have " + target.getClass().getName() + "." + name);
  }

  /** Calls a method of a public type, because the class of the object itself may be inaccessible. */
  static Object callAs(Class<?> type, Object target, String name) {
    try {
      return invoke(method(type, name), target);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("Spark does not have " + type.getName() + "." + name, e);
    }
  }

  private static boolean accepts(Method method, Object[] arguments) {
    return method.getParameterCount() == arguments.length && accepts(method.getParameterTypes(), arguments);
  }

  private static Object invoke(Method method, Object target, Object... arguments) {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException) {
        throw (RuntimeException) e.getCause();
      }
      throw Catalyst.<RuntimeException>unchecked(e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("Spark does not allow to call " + method, e);
    }
  }

  /** Spark's own exceptions are checked ones that its methods do not declare. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> RuntimeException unchecked(Throwable e) throws E {
    throw (E) e;
  }

  private static Method method(Class<?> type, String name) throws NoSuchMethodException {
    for (Method method : type.getMethods()) {
      if (method.getName().equals(name)) {
        return method;
      }
    }
    throw new NoSuchMethodException(type.getName() + "." + name);
  }

  /** Returns the node with another value at a position of its constructor. */
  @SuppressWarnings("unchecked")
  static <T extends TreeNode<T>> T with(T node, int position, Object value) {
    Product product = (Product) node;
    Object[] arguments = new Object[product.productArity()];
    for (int index = 0; index < arguments.length; index++) {
      arguments[index] = index == position ? value : product.productElement(index);
    }
    return node.makeCopy(arguments);
  }

  /** Returns the argument of the node's constructor at a position. */
  static Object argument(TreeNode<?> node, int position) {
    return ((Product) node).productElement(position);
  }

  static List<LogicalPlan> children(LogicalPlan plan) {
    return Seqs.list(call(plan, "children"));
  }

  static List<Expression> children(Expression expression) {
    return Seqs.list(call(expression, "children"));
  }

  static LogicalPlan withChildren(LogicalPlan plan, List<LogicalPlan> children) {
    return (LogicalPlan) call(plan, "withNewChildren", Seqs.of(children));
  }

  static List<Attribute> output(LogicalPlan plan) {
    return Seqs.list(call(plan, "output"));
  }

  static List<Expression> expressions(QueryPlan<?> plan) {
    return Seqs.list(call(plan, "expressions"));
  }

  /** Returns the expression with each of its nodes replaced, from the leaves to the root. */
  static Expression transform(Expression expression, UnaryOperator<Expression> replace) {
    return replace.apply((Expression) expression.mapChildren(child -> transform(child, replace)));
  }

  /** Returns the plan with the nodes of its own expressions replaced. */
  static LogicalPlan transformExpressions(LogicalPlan plan, UnaryOperator<Expression> replace) {
    return (LogicalPlan) plan.mapExpressions(expression -> transform(expression, replace));
  }

  /** Returns the plan with each plan in its subqueries replaced, but not the plans inside of those. */
  static LogicalPlan transformSubqueries(LogicalPlan plan, UnaryOperator<LogicalPlan> replace) {
    LogicalPlan inner = (LogicalPlan) plan.mapChildren(child -> transformSubqueries(child, replace));
    return transformExpressions(inner, each -> withSubquery(each, replace));
  }

  @SuppressWarnings("unchecked")
  private static Expression withSubquery(Expression expression, UnaryOperator<LogicalPlan> replace) {
    if (!isSubquery(expression)) {
      return expression;
    }
    PlanExpression<LogicalPlan> subquery = (PlanExpression<LogicalPlan>) expression;
    return subquery.withNewPlan(replace.apply(subquery.plan()));
  }

  /** Returns the plan with each of its leaves replaced, also those in subqueries. */
  static LogicalPlan transformLeaves(LogicalPlan plan, UnaryOperator<LogicalPlan> replace) {
    if (children(plan).isEmpty()) {
      return replace.apply(plan);
    }
    LogicalPlan inner = (LogicalPlan) plan.mapChildren(child -> transformLeaves(child, replace));
    return transformExpressions(inner, each -> withSubquery(each, sub -> transformLeaves(sub, replace)));
  }

  static boolean isSubquery(Expression expression) {
    return expression instanceof PlanExpression && ((PlanExpression<?>) expression).plan() instanceof LogicalPlan;
  }

  static QueryExecution execution(Dataset<?> frame) {
    return (QueryExecution) call(frame, "queryExecution");
  }

  @SuppressWarnings("unchecked")
  static Dataset<Row> frame(SparkSession session, LogicalPlan plan) {
    boolean isClassic = session.getClass().getName().contains(".classic.");
    Object companion = object("org.apache.spark.sql." + (isClassic ? "classic." : "") + "Dataset");
    return (Dataset<Row>) call(companion, "ofRows", session, plan);
  }
}
