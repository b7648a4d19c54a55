package io.lineage.spark;

import java.util.Collections;
import java.util.Map;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** An analyzed plan as JSON, and which node holds which relation object. */
final class Plan {
  final byte[] json;
  final Map<Object, Integer> relations;

  private Plan(Json json, Map<Object, Integer> relations) {
    this.json = json.toBytes();
    this.relations = relations;
  }

  /** Writes the plan in full, or with as much detail as fits into the limit. */
  static Plan of(LogicalPlan plan, int maxBytes, Redaction redaction) {
    for (Detail detail : Detail.values()) {
      try {
        return write(plan, detail, maxBytes, redaction);
      } catch (Json.TooLong e) {
        continue;
      } catch (StackOverflowError e) {
        break;
      }
    }
    Json json = new Json().object().key("types").array().endArray();
    json.key("exprs").array().endArray().key("nodes").array().endArray();
    truncated(json, maxBytes, 0, "exprs", "out", "nodes");
    return new Plan(json.endObject(), Collections.emptyMap());
  }

  private static Plan write(LogicalPlan plan, Detail detail, int maxBytes, Redaction redaction) {
    Nodes nodes = new Nodes(detail, maxBytes, redaction);
    int root = nodes.index(plan);
    Expressions expressions = nodes.expressions();
    if (nodes.size() + expressions.size() > maxBytes && detail != Detail.RELATIONS) {
      throw new Json.TooLong();
    }
    Json json = new Json().object().key("types").raw(expressions.types());
    json.key("exprs").raw(expressions.exprs()).key("nodes").raw(nodes.nodes());
    if (root != Nodes.LEFT_OUT) {
      json.field("root", root);
    }
    if (detail != Detail.ALL) {
      truncated(json, maxBytes, nodes.skipped(), detail.lost);
    }
    return new Plan(json.endObject(), nodes.relations());
  }

  private static void truncated(Json json, int maxBytes, int skipped, String... lost) {
    json.key("truncated").object().field("bytes", maxBytes).key("lost").array();
    for (String part : lost) {
      json.string(part);
    }
    json.endArray();
    if (skipped > 0) {
      json.field("nodes", skipped);
    }
    json.endObject();
  }
}
