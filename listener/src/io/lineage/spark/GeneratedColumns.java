package io.lineage.spark;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * The columns of a Delta table that Delta computes from other columns on write. No plan contains these
 * expressions. They are read from the schema in memory and parsed for the names of their columns.
 */
final class GeneratedColumns {
  private static final String EXPRESSION = "delta.generationExpression";

  private GeneratedColumns() {}

  /** Writes each generated column with the paths of its source columns. */
  static void write(Table table, Json out) {
    Map<String, List<Seq<?>>> columns = TableFormats.isDelta(table) ? of(schema(table)) : of(null);
    if (columns.isEmpty()) {
      return;
    }
    out.key("generated").object();
    columns.forEach(
        (name, sources) -> {
          out.key(name).array();
          sources.forEach(path -> path(path, out));
          out.endArray();
        });
    out.endObject();
  }

  private static void path(Seq<?> path, Json out) {
    out.array();
    Iterator<?> names = path.iterator();
    while (names.hasNext()) {
      out.string((String) names.next());
    }
    out.endArray();
  }

  /** Returns the schema with generation expressions, which the table does not expose to Spark. */
  private static Object schema(Table table) {
    Object snapshot = SparkFacts.held(table, "initialSnapshot");
    Object actions =
        SparkFacts.held(
            snapshot,
            "_reconstructedProtocolMetadataICTAndLMC",
            "_reconstructedProtocolMetadataAndICT",
            "_reconstructedProtocolAndMetadata");
    return SparkFacts.held(SparkFacts.held(actions, "metadata"), "schema");
  }

  private static Map<String, List<Seq<?>>> of(Object schema) {
    Map<String, List<Seq<?>>> columns = new LinkedHashMap<>();
    StructField[] fields = schema instanceof StructType ? ((StructType) schema).fields() : new StructField[0];
    for (StructField field : fields) {
      if (field.metadata().contains(EXPRESSION)) {
        columns.put(field.name(), sources(field.metadata().getString(EXPRESSION)));
      }
    }
    return columns;
  }

  private static List<Seq<?>> sources(String expression) {
    List<Seq<?>> sources = new ArrayList<>();
    Deque<Object> pending = new ArrayDeque<>();
    pending.add(new CatalystSqlParser().parseExpression(expression));
    while (!pending.isEmpty()) {
      Object next = pending.poll();
      if (next instanceof UnresolvedAttribute) {
        sources.add((Seq<?>) SparkFacts.get(next, "nameParts"));
      }
      Iterator<?> children = SparkReflection.childrenOf((TreeNode<?>) next).iterator();
      while (children.hasNext()) {
        pending.add(children.next());
      }
    }
    return sources;
  }
}
