package io.lineage.spark;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.spark.Dependency;
import org.apache.spark.rdd.MapPartitionsRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * The Kafka topics that are not in options: those that match a pattern, and those in rows. The connector's
 * classes are not available at compile time, so they are recognized by name.
 */
final class Topics {
  private static final String KAFKA = "org.apache.spark.sql.kafka010.";
  private static final int MOST = 1_000;
  private static final int MAX_RDDS = 20;

  private Topics() {}

  private static boolean isKafkas(Object object) {
    return object != null && object.getClass().getName().startsWith(KAFKA);
  }

  /** Returns the topics that a batch scan read, as planned by Kafka's connector; empty for other scans. */
  static Set<String> read(SparkPlan scan) {
    Object at = isKafkas(ClassInfo.element(scan, "relation")) ? ClassInfo.element(scan, "rdd") : null;
    for (int i = 0; i < MAX_RDDS && at instanceof RDD && !isKafkas(at); i++) {
      at = parent((RDD<?>) at);
    }
    Object ranges = isKafkas(at) ? SparkFacts.held(at, "offsetRanges") : null;
    Set<String> topics = new LinkedHashSet<>();
    Iterator<?> iterator = ranges instanceof Seq ? ((Seq<?>) ranges).iterator() : null;
    while (iterator != null && iterator.hasNext() && topics.size() < MOST) {
      topics.add(String.valueOf(SparkFacts.get(iterator.next(), "topic")));
    }
    return topics;
  }

  /** Returns whether the rows of the RDD are the records of topics, as read by the connector. */
  static boolean areRowsOf(RDD<?> rdd) {
    return rdd instanceof MapPartitionsRDD && isKafkas(SparkFacts.held(rdd, "prev"));
  }

  private static Object parent(RDD<?> rdd) {
    Seq<?> on = (Seq<?>) SparkFacts.get(rdd, "dependencies");
    return on != null && on.size() == 1 ? ((Dependency<?>) on.apply(0)).rdd() : null;
  }

  /**
   * Returns the topics in the column {@code topic} of the rows that a command writes to Kafka. The result is
   * empty if the column has sources other than literals.
   */
  static Set<String> named(LogicalPlan command) {
    LogicalPlan rows = writesToKafka(command) ? query(command) : null;
    Iterator<Attribute> columns = rows == null ? null : SparkReflection.output(rows).iterator();
    while (columns != null && columns.hasNext()) {
      Attribute column = columns.next();
      if (column.name().equals("topic")) {
        Set<String> topics = new LinkedHashSet<>();
        return literals(rows, column.exprId(), topics) ? topics : Collections.emptySet();
      }
    }
    return Collections.emptySet();
  }

  private static boolean writesToKafka(LogicalPlan command) {
    Object table = ClassInfo.element(command, "table");
    return isKafkas(ClassInfo.element(command, "dataSource"))
        || isKafkas(ClassInfo.element(command, "sink"))
        || isKafkas(table)
        || isKafkas(ClassInfo.element(table, "table"));
  }

  private static LogicalPlan query(LogicalPlan command) {
    Object query = ClassInfo.element(command, "query");
    if (query instanceof LogicalPlan) {
      return (LogicalPlan) query;
    }
    Seq<LogicalPlan> children = SparkReflection.children(command);
    return children.size() == 1 ? children.apply(0) : null;
  }

  /** Adds the literals of a column of the rows; returns false if the column has other sources. */
  private static boolean literals(LogicalPlan rows, ExprId column, Set<String> topics) {
    if (rows instanceof Project) {
      return literals((Project) rows, column, topics);
    }
    if (rows instanceof Union) {
      return literals((Union) rows, column, topics);
    }
    Seq<LogicalPlan> children = SparkReflection.children(rows);
    return children.size() == 1 && literals(children.apply(0), column, topics);
  }

  private static boolean literals(Union rows, ExprId column, Set<String> topics) {
    int place = place(rows, column);
    Iterator<LogicalPlan> children = SparkReflection.<LogicalPlan>children(rows).iterator();
    while (place >= 0 && children.hasNext()) {
      LogicalPlan child = children.next();
      if (!literals(child, SparkReflection.output(child).apply(place).exprId(), topics)) {
        return false;
      }
    }
    return place >= 0;
  }

  private static boolean literals(Project rows, ExprId column, Set<String> topics) {
    Iterator<?> made = ((Seq<?>) ClassInfo.element(rows, "projectList")).iterator();
    while (made.hasNext()) {
      NamedExpression expression = (NamedExpression) made.next();
      if (expression.exprId().equals(column)) {
        return literals(rows.child(), expression, topics);
      }
    }
    return false;
  }

  private static boolean literals(LogicalPlan below, NamedExpression made, Set<String> topics) {
    Object of = made instanceof Alias ? ((Alias) made).child() : made;
    if (of instanceof AttributeReference) {
      return literals(below, ((AttributeReference) of).exprId(), topics);
    }
    Object value = of instanceof Literal ? ((Literal) of).value() : null;
    if (value instanceof UTF8String) {
      topics.add(value.toString());
    }
    return value instanceof UTF8String;
  }

  /** Returns the index of a column in the rows, by its id; -1 if the rows do not have it. */
  private static int place(LogicalPlan rows, ExprId column) {
    Iterator<Attribute> columns = SparkReflection.output(rows).iterator();
    for (int i = 0; columns.hasNext(); i++) {
      if (columns.next().exprId().equals(column)) {
        return i;
      }
    }
    return -1;
  }
}
