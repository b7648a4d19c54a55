package io.lineage.spark;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.spark.sql.execution.CommandResultExec;
import org.apache.spark.sql.execution.LeafExecNode;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec;
import org.apache.spark.sql.execution.command.DataWritingCommandExec;
import org.apache.spark.sql.execution.command.ExecutedCommandExec;
import org.apache.spark.sql.execution.datasources.v2.V2CommandExec;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec;
import scala.Option;
import scala.Product;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * The metrics of scans and writes of one execution. The metrics of a cached plan accumulate over all executions
 * that use it. An increase is reported for the first execution that ends after it. This is the execution that
 * filled the cache, unless two filled it at the same time.
 */
final class Metrics {
  /** The last reported values of the metrics of cached plans. */
  private static final Map<SQLMetric, Long> REPORTED = Collections.synchronizedMap(new WeakHashMap<>());

  private final Map<Object, Integer> relations;
  private final Json json;
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean isOfCache;

  private Metrics(Map<Object, Integer> relations, Json json) {
    this.relations = relations;
    this.json = json;
  }

  /** Writes the metrics of the plan as an array; `relations` maps relation objects to their nodes. */
  static void write(SparkPlan plan, Map<Object, Integer> relations, Json json) {
    json.array();
    if (plan != null) {
      new Metrics(relations, json).visit(plan);
    }
    json.endArray();
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
      boolean wasFilled = isOfCache;
      isOfCache = true;
      visit(((InMemoryTableScanExec) plan).relation().cachedPlan());
      isOfCache = wasFilled;
    } else {
      if (readsOrWrites(plan)) {
        node(plan);
      }
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

  private static boolean readsOrWrites(SparkPlan plan) {
    return plan instanceof LeafExecNode
        || plan instanceof DataWritingCommandExec
        || plan instanceof ExecutedCommandExec
        || plan instanceof V2CommandExec;
  }

  private void node(SparkPlan plan) {
    int size = json.size();
    boolean comma = json.pendingComma();
    try {
      json.object().field("node", name(plan));
      Integer relation = relation(plan);
      if (relation != null) {
        json.field("relation", relation);
      }
      version("read", TableFormats.read(plan));
      version("written", TableFormats.written(plan));
      topics(Topics.read(plan));
      if (values(plan)) {
        json.endObject();
        return;
      }
    } catch (Exception e) {
      // a plan that did not run may fail to return its metrics
    }
    json.rewind(size, comma);
  }

  private void version(String key, Object version) {
    if (version != null) {
      json.field(key, version.toString()); // a Long
    }
  }

  private void topics(Set<String> topics) {
    if (!topics.isEmpty()) {
      json.key("topics").array();
      topics.forEach(json::string);
      json.endArray();
    }
  }

  private boolean values(SparkPlan plan) {
    json.key("values").object();
    int empty = json.size();
    Iterator<Tuple2<String, SQLMetric>> metrics = plan.metrics().iterator();
    while (metrics.hasNext()) {
      Tuple2<String, SQLMetric> metric = metrics.next();
      long value = isOfCache ? grown(metric._2()) : metric._2().value();
      if (isOfCache ? value > 0 : value >= 0) {
        json.field(metric._1(), value);
      }
    }
    boolean any = json.size() > empty;
    json.endObject();
    return any;
  }

  /** Returns the increase of a cached plan's metric since its last report. */
  private static long grown(SQLMetric metric) {
    long value = metric.value();
    Long before = REPORTED.put(metric, value);
    return before == null ? value : value - before;
  }

  /** Returns the index of the node whose relation is an element of the scan; null if there is none. */
  private Integer relation(SparkPlan plan) {
    if (!(plan instanceof Product)) {
      return null;
    }
    Product product = (Product) plan;
    String[] names = ClassInfo.of(plan).elements(product);
    for (int i = 0; i < names.length; i++) {
      if (names[i].equals("relation") || names[i].equals("table") || names[i].equals("scan")) {
        Integer index = indexOf(product.productElement(i));
        if (index != null) {
          return index;
        }
      }
    }
    return null;
  }

  private Integer indexOf(Object held) {
    Object relation = held instanceof Option ? ((Option<?>) held).getOrElse(() -> null) : held;
    Integer index = relations.get(relation);
    Object schema = index == null && relation != null ? SparkFacts.get(relation, "dataSchema") : null;
    return schema == null ? index : relations.get(schema);
  }

  /** Returns the redacted name of an operator. That of a JDBC scan contains its query. */
  private static String name(SparkPlan plan) {
    String name = plan.nodeName();
    return name.startsWith("Scan JDBC")
        ? Rules.ALL.text(SqlLiterals.replacedStrings(name, null))
        : Rules.ALL.text(name);
  }
}
