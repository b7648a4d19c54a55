package io.lineage.spark.records;

import io.lineage.spark.PhysicalWalk;
import io.lineage.spark.ReadVersions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.types.StructType;
import scala.Option;
import scala.Product;

/**
 * Replaces the tables of Delta Lake and Iceberg in a query by the versions that a run read. A table stays if the query
 * names a version of it, if a run read the present one, or if the version is not there or has other columns.
 */
final class EarlierVersions {
  private static final String VERSION = "timeTravelSpec";
  private static final String AS_OF_VERSION = "org.apache.spark.sql.catalyst.analysis.AsOfVersion";

  private final SparkSession session;
  private final Map<String, List<String>> stored;
  private final Map<String, Set<String>> present = new HashMap<>();
  private final List<String> replaced = new ArrayList<>();
  private final Set<Object> leaves = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Compares versions of runs, the newest run first, by the location of their table with those that a plan reads. */
  EarlierVersions(SparkSession session, Map<String, List<String>> stored, SparkPlan physical) {
    this.session = session;
    this.stored = stored;
    PhysicalWalk.walk(physical, (scan, isOfCache) -> read(scan));
  }

  private void read(SparkPlan scan) {
    String version = stored.isEmpty() ? null : ReadVersions.version(scan);
    String location = version == null ? null : ReadVersions.location(scan);
    if (location != null) {
      present.computeIfAbsent(name(location), each -> new HashSet<>()).add(version);
    }
  }

  private String name(String location) {
    return LocationNames.of(new Path(location), session.sparkContext().hadoopConfiguration());
  }

  /** Returns the replaced reads: the location of the table and its version. */
  List<String> replaced() {
    return replaced;
  }

  LogicalPlan apply(LogicalPlan query) {
    return stored.isEmpty() ? query : Catalyst.transformLeaves(query, this::replace);
  }

  /** Returns the query without the tables that were replaced, whose rows no longer change. */
  LogicalPlan withoutReplaced(LogicalPlan query) {
    return Catalyst.transformLeaves(query, leaf -> leaves.contains(leaf) ? new OneRowRelation() : leaf);
  }

  private LogicalPlan replace(LogicalPlan leaf) {
    if (leaf instanceof DataSourceV2Relation) {
      DataSourceV2Relation relation = (DataSourceV2Relation) leaf;
      boolean isFixed = String.valueOf(PlanTrees.member(leaf, VERSION)).startsWith("Some");
      boolean isFound = !isFixed && relation.catalog().isDefined() && relation.identifier().isDefined();
      String version = isFound ? version(ReadVersions.location(relation.table())) : null;
      boolean isLeft = version == null || ReadVersions.isNamed(relation.table());
      return isLeft ? leaf : with(leaf, load(relation, version), ReadVersions.location(relation.table()), version);
    }
    Object files = leaf instanceof LogicalRelation ? ((LogicalRelation) leaf).relation() : null;
    if (!(files instanceof HadoopFsRelation)) {
      return leaf;
    }
    HadoopFsRelation relation = (HadoopFsRelation) files;
    String location = ReadVersions.location(relation.location());
    String version = location == null || ReadVersions.isNamed(relation.location()) ? null : version(location);
    return version == null ? leaf : with(leaf, load(relation, location, version), location, version);
  }

  /** Returns the version of the newest run; null if there is none, or if a run read the present version. */
  private String version(String location) {
    String name = location == null ? null : name(location);
    List<String> versions = stored.get(name);
    Set<String> read = present.get(name);
    return versions == null || read == null || read.stream().anyMatch(versions::contains) ? null : versions.get(0);
  }

  private LogicalPlan with(LogicalPlan leaf, Object earlier, String location, String version) {
    if (earlier == null) {
      return leaf;
    }
    String what = "version " + version + " of " + name(location);
    if (!replaced.contains(what)) {
      replaced.add(what);
    }
    leaves.add(leaf);
    return withVersion(Catalyst.with(leaf, 0, earlier), version);
  }

  /** Spark 4.1 loads a table again whose relation does not say that its version is fixed. */
  private static LogicalPlan withVersion(LogicalPlan leaf, String version) {
    int arity = PlanTrees.member(leaf, VERSION) == null ? 0 : ((Product) leaf).productArity();
    for (int index = 0; index < arity; index++) {
      if (VERSION.equals(Catalyst.call(leaf, "productElementName", index))) {
        return Catalyst.with(leaf, index, Option.apply(Catalyst.make(AS_OF_VERSION, version)));
      }
    }
    return leaf;
  }

  /** Returns the table in a version, or null if the catalog does not have it. */
  private static Table load(DataSourceV2Relation relation, String version) {
    try {
      Identifier identifier = relation.identifier().get();
      Table table = ((TableCatalog) relation.catalog().get()).loadTable(identifier, version);
      return isSame(PlanTrees.member(table, "schema"), PlanTrees.member(relation.table(), "schema")) ? table : null;
    } catch (Exception e) { // catalogs throw those of their own
      return null;
    }
  }

  private HadoopFsRelation load(HadoopFsRelation relation, String location, String version) {
    try {
      Dataset<Row> frame = session.read().format("delta").option("versionAsOf", version).load(location);
      LogicalPlan plan = Catalyst.execution(frame).analyzed();
      Object other = plan instanceof LogicalRelation ? ((LogicalRelation) plan).relation() : null;
      boolean isFiles = other instanceof HadoopFsRelation;
      return isFiles && isSame(((HadoopFsRelation) other).schema(), relation.schema()) ? (HadoopFsRelation) other : null;
    } catch (Exception e) { // Spark throws checked exceptions that its methods do not declare
      return null;
    }
  }

  private static boolean isSame(Object one, Object other) {
    boolean areTypes = one instanceof StructType && other instanceof StructType;
    return areTypes && ((StructType) one).catalogString().equals(((StructType) other).catalogString());
  }
}
