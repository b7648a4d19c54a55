package io.lineage.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** The plans of earlier executions that one plan refers to, without duplicates. */
final class References {
  private final EarlierPlans earlier;
  private final String session;
  private final long limit;
  private final List<byte[]> plans = new ArrayList<>();
  private long size;
  private int depth;
  private boolean usesModels;

  References(EarlierPlans earlier, String session, int limit) {
    this.earlier = earlier;
    this.session = session;
    this.limit = limit / 2;
  }

  /** Adds to an operator the index of the earlier plan that computed its rows. */
  void operator(LogicalPlan plan, Json out) {
    EarlierPlans.Known known = earlier.of(plan);
    int index = known == null || known.plan == null ? -1 : index(known);
    if (index >= 0) {
      out.field("earlier", index);
      time(known, out);
    }
  }

  /** Adds to a reference to a variable the source of its value. */
  void variable(String name, Json out) {
    EarlierPlans.Known known = earlier.variableOf(session, name);
    if (known == null) {
      return;
    }
    if (known.plan == null) {
      out.key("value").bool(true);
      return;
    }
    int index = index(known);
    if (index >= 0) {
      out.field("earlier", index).field("column", known.column);
      time(known, out);
    }
  }

  private static void time(EarlierPlans.Known known, Json out) {
    if (known.time > 0) {
      out.field("readAt", known.time);
    }
  }

  private int index(EarlierPlans.Known known) {
    byte[] plan = known.plan;
    for (int i = 0; i < plans.size(); i++) {
      if (plans.get(i) == plan) {
        return i;
      }
    }
    if (size + plan.length > limit) {
      return -1;
    }
    size += plan.length;
    depth = Math.max(depth, known.depth + 1);
    plans.add(plan);
    return plans.size() - 1;
  }

  /** Records that a function of the plan applies a fitted model. */
  void model() {
    usesModels = true;
  }

  boolean usesModels() {
    return usesModels;
  }

  int depth() {
    return depth;
  }

  void write(Json out) {
    if (!plans.isEmpty()) {
      out.key("earlier").array();
      plans.forEach(out::raw);
      out.endArray();
    }
  }
}
