package io.lineage.spark;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Function;
import org.apache.spark.sql.execution.LeafExecNode;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec;
import org.apache.spark.sql.execution.command.DataWritingCommandExec;
import org.apache.spark.sql.execution.command.ExecutedCommandExec;
import org.apache.spark.sql.execution.datasources.v2.V2CommandExec;
import org.apache.spark.sql.execution.metric.SQLMetric;
import scala.Option;
import scala.Product;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * The metrics of scans and writes of one execution. The metrics of a cached plan accumulate over all executions
 * that use it. An increase is reported for the first execution that ends after it. This is the execution that
 * filled the cache, unless two filled it at the same time.
 */
final class Metrics implements PhysicalWalk.Visitor {
  /** The start of a plan that has not run, or of a micro-batch, whose times are not reported. */
  static final long NOT_RUN = 0;

  /** The last reported values of the metrics of cached plans. */
  private static final Map<SQLMetric, Long> REPORTED = Collections.synchronizedMap(new WeakHashMap<>());

  /** The members of a relation over files by which {@link Relations} knows its copies. */
  private static final String[] RELATION_PARTS = {"dataSchema", "location", "partitionSchema"};

  /** The operators whose rows the driver made. */
  private static final Set<String> OF_DRIVER =
      new HashSet<>(Arrays.asList("LocalTableScanExec", "RangeExec", "EmptyRelationExec", "OneRowRelationExec"));

  /** The manifests of selections, which are arrays. That of a cached plan is used by many executions. */
  private static final Map<Object, Manifest> MANIFESTS = Collections.synchronizedMap(new WeakHashMap<>());

  private final Map<Object, Integer> relations;
  private final Json json;
  private final CacheTimes caches;
  private EqualRelations equal;
  private boolean isOfCache;

  /** The number of files that the manifests of this plan may still have. */
  private long filesLeft = Manifest.MAX_FILES;

  private Metrics(Map<Object, Integer> relations, long started, Json json) {
    this.relations = relations;
    this.caches = new CacheTimes(started);
    this.json = json;
  }

  /**
   * Writes the metrics of the plan of an execution as an array; `relations` maps relation objects to their nodes.
   */
  static void write(SparkPlan plan, Map<Object, Integer> relations, long started, Json json) {
    json.array();
    if (plan != null) {
      PhysicalWalk.walk(plan, new Metrics(relations, started, json));
    }
    json.endArray();
  }

  @Override
  public void cache(InMemoryTableScanExec scan) {
    if (scan == null) {
      caches.leave();
    } else {
      caches.enter(scan);
    }
  }

  @Override
  public void visit(SparkPlan plan, boolean ofCache) {
    isOfCache = ofCache;
    if (readsOrWrites(plan)) {
      node(plan);
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
      boolean hasManifest = manifest(plan);
      boolean hasValues = values(plan);
      Long readAt = OF_DRIVER.contains(plan.getClass().getSimpleName()) ? null : caches.earlier(hasValues);
      if (readAt != null) {
        json.field("readAt", readAt);
      }
      if (hasValues || hasManifest || readAt != null) {
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

  /** Writes the manifest of the files that a scan selected, unless they are too many. Returns whether it has any. */
  private boolean manifest(SparkPlan plan) {
    Object selection = ScanFiles.selection(plan);
    Manifest manifest = selection instanceof Object[] ? MANIFESTS.get(selection) : null;
    if (manifest == null) {
      manifest = new Manifest();
      long count = ScanFiles.visit(plan, filesLeft, manifest::add);
      if (count == ScanFiles.UNKNOWN) {
        return false;
      }
      if (count > filesLeft) {
        json.key("manifest").object().field("omitted", "more than " + Manifest.MAX_FILES + " files").endObject();
        return true;
      }
      filesLeft -= count;
      if (selection instanceof Object[]) {
        MANIFESTS.put(selection, manifest);
      }
    }
    manifest.write(json.key("manifest"));
    return true;
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
    Integer index = element(plan, this::indexOf, "relation", "table", "scan");
    if (index != null || !caches.isWithinCache()) {
      return index;
    }
    equal = equal == null ? new EqualRelations(relations) : equal;
    return element(plan, equal::of, "relation", "tableIdentifier", "table", "rdd");
  }

  private static Integer element(SparkPlan plan, Function<Object, Integer> find, String... members) {
    if (!(plan instanceof Product)) {
      return null;
    }
    Product product = (Product) plan;
    String[] names = ClassInfo.of(plan).elements(product);
    for (int i = 0; i < names.length; i++) {
      Integer index = Arrays.asList(members).contains(names[i]) ? find.apply(product.productElement(i)) : null;
      if (index != null) {
        return index;
      }
    }
    return null;
  }

  private Integer indexOf(Object held) {
    Object relation = held instanceof Option ? ((Option<?>) held).getOrElse(() -> null) : held;
    Integer index = relations.get(relation);
    for (String part : RELATION_PARTS) {
      Object object = index == null && relation != null ? SparkFacts.get(relation, part) : null;
      index = object == null ? index : relations.get(object);
    }
    return index;
  }

  /** Returns the redacted name of an operator. That of a JDBC scan contains its query. */
  private static String name(SparkPlan plan) {
    String name = plan.nodeName();
    return name.startsWith("Scan JDBC")
        ? Rules.ALL.text(SqlLiterals.replacedStrings(name, null))
        : Rules.ALL.text(name);
  }
}
