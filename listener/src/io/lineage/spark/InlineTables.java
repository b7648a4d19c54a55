package io.lineage.spark;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser;
import org.apache.spark.sql.catalyst.plans.QueryPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import scala.collection.Iterable;
import scala.collection.Iterator;

/**
 * The names in the rows of VALUES. Spark computes these rows during the analysis. A plan has the values of variables
 * among them, and not the variables. Only the text of the statement has their names.
 */
final class InlineTables {
  private static final Pattern VALUES = Pattern.compile("\\bVALUES\\b", Pattern.CASE_INSENSITIVE);

  /** Keywords that the parser reads as names. */
  private static final Set<String> KEYWORDS =
      new HashSet<>(
          Arrays.asList(
              "current_catalog", "current_database", "current_date", "current_schema", "current_time",
              "current_timestamp", "current_user", "default", "localtimestamp", "session_user", "user"));

  private InlineTables() {}

  /** Returns the last parts of the names in VALUES, in lower case; null if the statement cannot be parsed. */
  static Set<String> names(String statement) {
    Set<String> names = new HashSet<>();
    if (statement == null || !VALUES.matcher(statement).find()) {
      return names;
    }
    try {
      collect(new CatalystSqlParser().parsePlan(statement), names);
    } catch (Exception e) { // Scala also throws undeclared checked exceptions, such as ParseException
      return null;
    }
    names.removeAll(KEYWORDS);
    return names;
  }

  private static void collect(Object statement, Set<String> names) {
    Deque<Object> pending = new ArrayDeque<>();
    pending.add(statement);
    while (!pending.isEmpty()) {
      Object next = pending.poll();
      if (ClassInfo.of(next).simpleName.equals("UnresolvedInlineTable")) {
        addNames(SparkFacts.get(next, "rows"), names);
      } else if (next instanceof TreeNode) {
        addAll(SparkReflection.childrenOf((TreeNode<?>) next), pending);
        addAll(SparkReflection.innerChildren((TreeNode<?>) next), pending);
      }
      if (next instanceof QueryPlan) {
        addAll(SparkReflection.expressions((QueryPlan<?>) next), pending);
      }
    }
  }

  private static void addNames(Object rows, Set<String> names) {
    Deque<Object> pending = new ArrayDeque<>();
    pending.add(rows);
    while (!pending.isEmpty()) {
      Object next = pending.poll();
      if (next instanceof UnresolvedAttribute) {
        names.add(((UnresolvedAttribute) next).name().replaceAll(".*\\.", "").toLowerCase(Locale.ROOT));
      } else if (next instanceof TreeNode) {
        addAll(SparkReflection.childrenOf((TreeNode<?>) next), pending);
      } else if (next instanceof Iterable) {
        addAll((Iterable<?>) next, pending);
      }
    }
  }

  private static void addAll(Iterable<?> items, Deque<Object> pending) {
    Iterator<?> iterator = items.iterator();
    while (iterator.hasNext()) {
      pending.add(iterator.next());
    }
  }
}
