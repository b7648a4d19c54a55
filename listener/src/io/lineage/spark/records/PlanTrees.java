package io.lineage.spark.records;

import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** What other packages need of Spark's trees. */
public final class PlanTrees {
  private PlanTrees() {}

  public static List<LogicalPlan> children(LogicalPlan plan) {
    return Catalyst.children(plan);
  }

  /** Returns the value of a public method without parameters, or null if the object has none of this name. */
  public static Object member(Object object, String name) {
    try {
      return object.getClass().getMethod(name).invoke(object);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** Returns the value of a key in a map of Scala, whatever the case of its letters, or null. */
  public static Object option(scala.collection.immutable.Map<?, ?> map, String name) {
    for (scala.collection.Iterator<?> each = map.iterator(); each.hasNext(); ) {
      scala.Tuple2<?, ?> entry = (scala.Tuple2<?, ?>) each.next();
      if (name.equalsIgnoreCase(String.valueOf(entry._1()))) {
        return entry._2();
      }
    }
    return null;
  }

  public static Object emptyMap() {
    return Catalyst.call(Catalyst.object("scala.collection.immutable.Map"), "empty");
  }
}
