package io.lineage.spark.records;

import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** Joins: a row is made of the rows of both sides. */
final class Joins {
  private final Rewriter rewriter;

  Joins(Rewriter rewriter) {
    this.rewriter = rewriter;
  }

  Provenance join(Join join) {
    if (join.condition().isDefined()) {
      rewriter.determinism.check(java.util.Collections.singletonList(join.condition().get()));
    }
    switch (type(join)) {
      case "LeftAnti":
        return anti(join);
      case "LeftSemi":
      case "ExistenceJoin":
        return semi(join);
      case "Inner":
      case "Cross":
      case "LeftOuter":
      case "RightOuter":
      case "FullOuter":
      case "LeftSingle":
        return both(join);
      default:
        rewriter.labels.add(Labels.Effect.UNKNOWN, "opaque", name(join));
        return new Provenance(join, java.util.Collections.emptyMap());
    }
  }

  private static String type(Join join) {
    return join.joinType().getClass().getSimpleName().replace("$", "");
  }

  /** Returns the type of a join as SQL, or as Spark names those that SQL does not have. */
  static String name(Join join) {
    try {
      return join.joinType().sql();
    } catch (RuntimeException e) {
      return type(join);
    }
  }

  private Provenance both(Join join) {
    Provenance left = rewriter.rewrite(join.left());
    Provenance right = rewriter.rewrite(join.right());
    LogicalPlan plan = withSides(join, left.plan, right.plan);
    return Provenance.project(Catalyst.output(join), Provenance.merge(rewriter.payload, left, right), plan);
  }

  /** The row is there because the right side has no match, which is no row that could be named. */
  private Provenance anti(Join join) {
    rewriter.labels.add(Labels.Effect.EXACT, "anti", "absence of match");
    Provenance left = rewriter.rewrite(join.left());
    return left.through(withSides(join, left.plan, join.right()));
  }

  /** The join itself is unchanged, so that no row is lost or repeated; the matching rows are joined beside it. */
  private Provenance semi(Join join) {
    Provenance left = rewriter.rewrite(join.left());
    if (!rewriter.payload.includesInfluences()) {
      rewriter.labels.add(Labels.Effect.SAMPLED, "semi", "rows of the left side");
      return left.through(withSides(join, left.plan, join.right()));
    }
    Provenance right = rewriter.rewrite(join.right());
    Provenance rows = left.through(withSides(join, left.plan, join.right()));
    if (right.columns.isEmpty()) {
      return rows;
    }
    EquiKeys keys = EquiKeys.of(join);
    if (keys.hasOtherConditions) {
      rewriter.labels.add(Labels.Effect.SUPERSET, "semi", "further condition");
    }
    Groups groups = Groups.of(rewriter.payload, keys.right, right.through(keys.filterRight(right.plan)));
    return groups.join(rewriter.payload, rows, keys.conditions(groups.keys), Catalyst.output(join));
  }

  private static LogicalPlan withSides(Join join, LogicalPlan left, LogicalPlan right) {
    List<LogicalPlan> sides = java.util.Arrays.asList(left, right);
    return Catalyst.withChildren(join, sides);
  }
}
