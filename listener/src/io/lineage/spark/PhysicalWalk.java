package io.lineage.spark;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.apache.spark.sql.execution.CommandResultExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec;
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * A walk over the operators of a physical plan that run in its execution, each once, with those of adaptive plans,
 * of subqueries and of cached plans.
 */
public final class PhysicalWalk {
  /** Receives each operator, and whether it is part of a cached plan. */
  public interface Visitor {
    void visit(SparkPlan operator, boolean isOfCache);

    /** Receives a scan of a cache before the operators of the cached plan; null after them. */
    default void cache(InMemoryTableScanExec scan) {}
  }

  private final Visitor visitor;
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean isOfCache;

  private PhysicalWalk(Visitor visitor) {
    this.visitor = visitor;
  }

  public static void walk(SparkPlan plan, Visitor visitor) {
    new PhysicalWalk(visitor).visit(plan);
  }

  private void visit(SparkPlan plan) {
    if (!seen.add(plan) || plan instanceof CommandResultExec || plan instanceof ReusedExchangeExec) {
      return; // ran in another execution, or is reported with the original exchange
    }
    if (plan instanceof AdaptiveSparkPlanExec) {
      visit(((AdaptiveSparkPlanExec) plan).executedPlan());
    } else if (plan instanceof QueryStageExec) {
      visit(((QueryStageExec) plan).plan());
    } else if (plan instanceof InMemoryTableScanExec) {
      boolean wasOfCache = isOfCache;
      isOfCache = true;
      visitor.cache((InMemoryTableScanExec) plan);
      visit(((InMemoryTableScanExec) plan).relation().cachedPlan());
      isOfCache = wasOfCache;
      visitor.cache(null);
    } else {
      visitor.visit(plan, isOfCache);
      visitAll(SparkReflection.children(plan));
      visitAll(SparkReflection.subqueries(plan));
    }
  }

  private void visitAll(Seq<SparkPlan> plans) {
    Iterator<SparkPlan> iterator = plans.iterator();
    while (iterator.hasNext()) {
      visit(iterator.next());
    }
  }
}
