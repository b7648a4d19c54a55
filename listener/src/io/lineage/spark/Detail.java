package io.lineage.spark;

/** The level of detail of a plan. A plan over the size limit is written again with less detail. */
enum Detail {
  /** The whole plan. */
  ALL,
  /** No expressions except attributes. */
  ATTRIBUTES("exprs"),
  /** No expressions except attributes, and columns only of relations. */
  RELATION_ATTRIBUTES("exprs", "out"),
  /** No columns, arguments only of relations and commands, and only the operators that fit. */
  RELATIONS("exprs", "out", "nodes");

  /** The parts of a plan that may be missing at this level. */
  final String[] lost;

  Detail(String... lost) {
    this.lost = lost;
  }
}
