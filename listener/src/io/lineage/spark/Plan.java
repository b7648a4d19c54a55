package io.lineage.spark;

import java.util.Map;

/** An analyzed plan as JSON, possibly with less detail, and the nodes of its relation objects. */
final class Plan {
  final byte[] json;
  final boolean isWhole;
  final Map<Object, Integer> relations;

  /** The depth of the earlier plans nested in it. */
  final int depth;

  /** Whether a function in it applies a fitted model of Spark ML. */
  final boolean usesModels;

  Plan(Json json, boolean isWhole, int depth, boolean usesModels, Map<Object, Integer> relations) {
    this.json = json.toBytes();
    this.isWhole = isWhole;
    this.depth = depth;
    this.usesModels = usesModels;
    this.relations = relations;
  }
}
