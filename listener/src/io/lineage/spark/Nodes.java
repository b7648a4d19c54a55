package io.lineage.spark;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.CommandResult;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.collection.Iterator;
import scala.collection.Seq;

/** The operators of one plan. Each is written once, after its children. */
final class Nodes {
  /** Returned for an operator that did not fit. */
  static final int LEFT_OUT = -1;

  /** Spark's marker of attributes of relations that are not columns of the table. */
  private static final String METADATA_COLUMN = "__metadata_col";

  private final Detail detail;
  private final int limit;
  private final Json json;
  private final Expressions expressions;
  private final Values values;
  private final ColumnNames names;
  private final References references;
  private final IdentityHashMap<Object, Integer> seen = new IdentityHashMap<>();
  private final IdentityHashMap<Object, Integer> relations = new IdentityHashMap<>();
  private final List<int[]> outputs = new ArrayList<>();
  private final Deque<Node> open = new ArrayDeque<>();
  private int skipped;

  /** A node that is being written, with the plans and relations among its arguments so far. */
  private static final class Node {
    final LogicalPlan plan;
    final Json json;
    final List<Integer> inner = new ArrayList<>();
    final List<Object> relations = new ArrayList<>();

    Node(LogicalPlan plan, Json json) {
      this.plan = plan;
      this.json = json;
    }
  }

  Nodes(
      Detail detail,
      int limit,
      Redaction redaction,
      ColumnNames names,
      TableLocations locations,
      References references) {
    this.detail = detail;
    this.limit = limit;
    this.names = names;
    this.json = new Json(limit).array();
    this.references = references;
    this.expressions = new Expressions(this, detail, limit, names, references);
    this.values = new Values(this, expressions, redaction, names, locations);
  }

  Expressions expressions() {
    return expressions;
  }

  /** Returns the nodes of relation objects, for the metrics of scans with the same object. */
  Map<Object, Integer> relations() {
    return relations;
  }

  Json nodes() {
    return json.endArray();
  }

  int size() {
    return json.size();
  }

  int skipped() {
    return skipped;
  }

  /** Records that the current node holds this plan without exposing it as a child. */
  void addInner(int index) {
    Node node = open.peek();
    if (node != null && index != LEFT_OUT && !node.inner.contains(index)) {
      node.inner.add(index);
    }
  }

  /** Records that the current node holds this relation. */
  void addRelation(Object relation) {
    if (!open.isEmpty()) {
      open.peek().relations.add(relation);
    }
  }

  /** Returns the operator that is being written; null if there is none. */
  LogicalPlan current() {
    return open.isEmpty() ? null : open.peek().plan;
  }

  /** Returns the index of the node, which is written on first use, after its children. */
  int index(LogicalPlan plan) {
    Integer known = seen.get(plan);
    if (known == null) {
      int[] children = children(plan);
      known = write(plan, children);
      seen.put(plan, known);
    }
    return known;
  }

  private int[] children(LogicalPlan plan) {
    Seq<LogicalPlan> children = SparkReflection.children(plan);
    int[] indexes = new int[children.size()];
    Iterator<LogicalPlan> iterator = children.iterator();
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] = index(iterator.next());
    }
    return indexes;
  }

  private int write(LogicalPlan plan, int[] children) {
    Node node = new Node(plan, new Json(limit).object());
    open.push(node);
    try {
      ClassInfo type = ClassInfo.of(plan);
      node.json.field("op", type.simpleName);
      if (!type.isSparks) {
        node.json.field("class", type.fullName);
      }
      if (plan instanceof Command) {
        node.json.key("command").bool(true);
      }
      references.operator(plan, node.json);
      indexes(node.json, "in", children);
      int[] output = output(plan, children, node.json);
      arguments(plan, output, node.json);
      innerChildren(plan);
      indexes(node.json, "inner", toArray(node.inner));
      return add(plan, node, output);
    } finally {
      open.pop();
    }
  }

  private int add(LogicalPlan plan, Node node, int[] output) {
    if (detail == Detail.RELATIONS && !fits(plan, node.json.size())) {
      skipped++;
      return LEFT_OUT;
    }
    int index = outputs.size();
    json.raw(node.json.endObject());
    outputs.add(output);
    relations.putIfAbsent(plan, index);
    for (Object relation : node.relations) {
      relations.putIfAbsent(relation, index);
    }
    return index;
  }

  /** Returns whether the operator fits. The last quarter of the limit is reserved for commands. */
  private boolean fits(LogicalPlan plan, int size) {
    return json.size() + (long) size < (plan instanceof Command ? limit - 16L : limit / 4 * 3L);
  }

  /** Writes the output, if it differs from that of the first child. */
  private int[] output(LogicalPlan plan, int[] children, Json out) {
    boolean wanted = detail == Detail.RELATION_ATTRIBUTES ? children.length == 0
        : detail != Detail.RELATIONS;
    int[] output = wanted ? output(plan) : new int[0];
    int first = children.length == 0 ? LEFT_OUT : children[0];
    if (wanted && (first == LEFT_OUT || !Arrays.equals(output, outputs.get(first)))) {
      out.key("out").array();
      for (int attribute : output) {
        out.number(attribute);
      }
      out.endArray();
    }
    return output;
  }

  private int[] output(LogicalPlan plan) {
    Seq<Attribute> attributes;
    try {
      attributes = SparkReflection.output(plan);
    } catch (Exception e) { // Scala also throws undeclared checked exceptions, such as AnalysisException
      return new int[0]; // an unresolved operator has no output
    }
    int[] indexes = new int[attributes.size()];
    Iterator<Attribute> iterator = attributes.iterator();
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] = expressions.index((Expression) iterator.next());
    }
    return indexes;
  }

  private void arguments(LogicalPlan plan, int[] output, Json out) {
    out.key("args").object();
    if (plan instanceof CommandResult) {
      // the command ran in another execution, which reports its inputs and outputs
      LogicalPlan command = ((CommandResult) plan).commandLogicalPlan();
      out.key("command").object().field("class", ClassInfo.of(command).fullName).endObject();
    } else if (plan instanceof scala.Product && hasArguments(plan)) {
      values.elements((scala.Product) plan, childrenOf(plan), out);
      topics(plan, out);
      metadataColumns(plan, output, out);
    }
    out.endObject();
  }

  /** Writes the topics of a write to Kafka from the literals in its rows, whose values expressions omit. */
  private void topics(LogicalPlan plan, Json out) {
    Set<String> topics;
    try {
      topics = Topics.named(plan);
    } catch (Exception e) {
      return; // an unresolved plan has no columns
    }
    if (!topics.isEmpty()) {
      out.key("topics").array();
      topics.forEach(topic -> out.string(values.text(topic)));
      out.endArray();
    }
  }

  /** Writes the columns that Spark or a change feed adds to a table, such as the file and the position of a row. */
  private static void metadataColumns(LogicalPlan plan, int[] output, Json out) {
    if (output.length == 0 || !SparkReflection.children(plan).isEmpty()) {
      return;
    }
    boolean any = false;
    Iterator<Attribute> attributes = SparkReflection.output(plan).iterator();
    for (int index : output) {
      Attribute attribute = attributes.next();
      boolean isAdded =
          attribute.metadata().contains(METADATA_COLUMN) || TableFormats.isOfChange(plan, attribute.name());
      if (isAdded && index != Expressions.LEFT_OUT) {
        if (!any) {
          out.key("metadataColumns").array();
        }
        any = true;
        out.number(index);
      }
    }
    if (any) {
      out.endArray();
    }
  }

  private boolean hasArguments(LogicalPlan plan) {
    return detail != Detail.RELATIONS || plan instanceof Command || SparkReflection.children(plan).isEmpty();
  }

  private static Set<Object> childrenOf(LogicalPlan plan) {
    Set<Object> children = Collections.newSetFromMap(new IdentityHashMap<>());
    Iterator<LogicalPlan> iterator = SparkReflection.children(plan).iterator();
    while (iterator.hasNext()) {
      children.add(iterator.next());
    }
    return children;
  }

  private void innerChildren(LogicalPlan plan) {
    if (plan instanceof CommandResult) {
      return;
    }
    Iterator<?> iterator = SparkReflection.innerChildren(plan).iterator();
    while (iterator.hasNext()) {
      Object inner = iterator.next();
      if (inner instanceof LogicalPlan) {
        addInner(index((LogicalPlan) inner));
      }
    }
  }

  private static int[] toArray(List<Integer> indexes) {
    return indexes.stream().mapToInt(Integer::intValue).toArray();
  }

  private static void indexes(Json out, String name, int[] indexes) {
    if (indexes.length == 0) {
      return;
    }
    out.key(name).array();
    for (int index : indexes) {
      if (index != LEFT_OUT) {
        out.number(index);
      }
    }
    out.endArray();
  }
}
