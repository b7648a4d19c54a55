package io.lineage.spark;

import java.util.Map;

/** An analyzed plan as JSON, whole or with less than it has, and which node holds which relation object. */
final class Plan {
  final byte[] json;
  final boolean isWhole;
  final Map<Object, Integer> relations;

  /** How many earlier plans stand within it, one in the other. */
  final int depth;

  /** Does a function in it apply a fitted model of Spark ML? */
  final boolean usesModels;

  Plan(Json json, boolean isWhole, int depth, boolean usesModels, Map<Object, Integer> relations) {
    this.json = json.toBytes();
    this.isWhole = isWhole;
    this.depth = depth;
    this.usesModels = usesModels;
    this.relations = relations;
  }
}
