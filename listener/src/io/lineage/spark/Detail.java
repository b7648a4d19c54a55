package io.lineage.spark;

/** The level of detail of a plan. A plan over the size limit is written again with less detail. */
enum Detail {
  ALL,
  /** Attributes are the only expressions. */
  ATTRIBUTES("exprs"),
  /** In addition, only relations list their columns. */
  RELATION_ATTRIBUTES("exprs", "out"),
  /** No columns, only arguments of relations and commands, and as many operators as fit. */
  RELATIONS("exprs", "out", "nodes");

  final String[] lost;

  Detail(String... lost) {
    this.lost = lost;
  }
}
