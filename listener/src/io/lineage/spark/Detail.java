package io.lineage.spark;

/** How much of a plan is written. A plan that is over its limit is written again with less. */
enum Detail {
  ALL,
  /** Attributes are the only expressions. */
  ATTRIBUTES("exprs"),
  /** Besides, only relations say what columns they have. */
  RELATION_ATTRIBUTES("exprs", "out"),
  /** No columns, arguments of relations and commands alone, and as many operators as there is room for. */
  RELATIONS("exprs", "out", "nodes");

  final String[] lost;

  Detail(String... lost) {
    this.lost = lost;
  }
}
