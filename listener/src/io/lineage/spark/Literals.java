package io.lineage.spark;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.QueryPlan;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.Iterator;

/** The string literals of a plan, which Spark copies into messages. */
final class Literals {
  private static final int MOST = 10_000;

  private Literals() {}

  /** Returns the literals of a statement and its plans that an error may quote. Each may be null. */
  static Set<String> of(String statement, LogicalPlan... plans) {
    Set<String> literals = new LinkedHashSet<>();
    if (statement != null) {
      SqlLiterals.collect(statement, literals);
    }
    for (LogicalPlan plan : plans) {
      if (plan != null) {
        collect(plan, literals);
      }
    }
    return literals;
  }

  private static void collect(TreeNode<?> root, Set<String> literals) {
    Set<Object> seen = Collections.newSetFromMap(new java.util.IdentityHashMap<>());
    Deque<Object> pending = new ArrayDeque<>();
    pending.add(root);
    while (!pending.isEmpty() && seen.size() < MOST) {
      Object next = pending.poll();
      if (!seen.add(next) || isRaised(next)) {
        continue;
      }
      Object value = ClassInfo.of(next).simpleName.equals("VariableReference") ? variable(next) : next;
      if (value instanceof Literal && ((Literal) value).value() instanceof UTF8String) {
        literals.add(((Literal) value).value().toString());
      }
      if (next instanceof QueryPlan) {
        addAll(SparkReflection.expressions((QueryPlan<?>) next).iterator(), pending);
      }
      addAll(SparkReflection.innerChildren((TreeNode<?>) next).iterator(), pending);
      addAll(SparkReflection.childrenOf((TreeNode<?>) next).iterator(), pending);
    }
  }

  private static void addAll(Iterator<?> nodes, Deque<Object> pending) {
    while (nodes.hasNext()) {
      Object node = nodes.next();
      if (node instanceof TreeNode) {
        pending.add(node);
      }
    }
  }

  /** Returns the current value of a variable, which Spark prints with its name. */
  private static Object variable(Object reference) {
    Object definition = SparkFacts.get(reference, "varDef");
    return definition == null ? null : SparkFacts.get(definition, "currentValue");
  }

  /** Returns whether the node is raise_error or assert_true, whose argument is the message itself. */
  private static boolean isRaised(Object node) {
    String type = ClassInfo.of(node).simpleName;
    return type.equals("RaiseError")
        || type.equals("UnresolvedFunction")
            && String.valueOf(SparkFacts.get(node, "nameParts")).matches(".*(raise_error|assert_true).*");
  }
}
