package io.lineage.spark;

import java.util.Map;

/** An analyzed plan as JSON, and which node holds which relation object. */
final class Plan {
  final byte[] json;
  final Map<Object, Integer> relations;

  Plan(Json json, Map<Object, Integer> relations) {
    this.json = json.toBytes();
    this.relations = relations;
  }
}
