package io.lineage.spark;

import java.util.Collections;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** The encoder of one application's plans as JSON. */
final class Plans {
  private final int maxBytes;
  private final Redaction redaction;
  private final ColumnNames names;
  private final TableLocations locations;
  private final EarlierPlans earlier;

  Plans(int maxBytes, Redaction redaction, TableLocations locations, EarlierPlans earlier) {
    this.maxBytes = maxBytes;
    this.redaction = redaction;
    this.names = new ColumnNames(redaction);
    this.locations = locations;
    this.earlier = earlier;
  }

  /** Encodes the plan of a session completely, or with as much detail as fits into the limit. */
  Plan of(LogicalPlan plan, String session) {
    for (Detail detail : Detail.values()) {
      try {
        return write(plan, detail, session);
      } catch (Json.TooLong e) {
        continue;
      } catch (StackOverflowError e) {
        break;
      }
    }
    Json json = new Json().object().key("types").array().endArray();
    json.key("exprs").array().endArray().key("nodes").array().endArray();
    truncated(json, 0, "exprs", "out", "nodes");
    return new Plan(json.endObject(), false, 0, false, Collections.emptyMap());
  }

  /** Returns whether the plan of a statement may have values of variables in place of references to them. */
  boolean mayHideVariable(Execution.Run run) {
    return earlier.mayHideVariable(run.parsed);
  }

  /** Returns whether the rows of VALUES in a statement may have values of variables. */
  boolean mayHaveVariableInValues(Execution.Run run) {
    return earlier.mayHaveVariableInValues(run.sql, run.session);
  }

  /** Records the plan of a stream, because the rows in its memory sink may be read. */
  void ofStream(Object sink, Plan plan) {
    earlier.stream(sink, plan);
  }

  private Plan write(LogicalPlan plan, Detail detail, String session) {
    References references = new References(earlier, session, maxBytes);
    Nodes nodes = new Nodes(detail, maxBytes, redaction, names, locations, references);
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
      truncated(json, nodes.skipped(), detail.lost);
    }
    references.write(json);
    boolean isWhole = detail == Detail.ALL;
    return new Plan(
        json.endObject(), isWhole, references.depth(), references.usesModels(), nodes.relations());
  }

  private void truncated(Json json, int skipped, String... lost) {
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
