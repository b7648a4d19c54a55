package io.lineage.spark;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.write.RowLevelOperationTable;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.sources.BaseRelation;
import scala.Option;

/**
 * The state in memory of Delta Lake and Apache Iceberg tables: their locations, and the versions that were read
 * or written. The classes are not available at compile time, so members are looked up by name. A field is read
 * instead of its getter if the getter may read a log or query a catalog.
 */
final class TableFormats {
  private static final String DELTA = "org.apache.spark.sql.delta.";
  private static final String ICEBERG = "org.apache.iceberg.";

  /** Counts of rows changed by MERGE, UPDATE and DELETE. If one is positive, the command made a commit. */
  private static final String[] CHANGED = {
    "numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted",
    "numUpdatedRows", "numDeletedRows"
  };

  private static final String CHANGELOG = ICEBERG + "spark.source.SparkChangelogTable";
  private static final List<String> CHANGE_COLUMNS =
      Arrays.asList("_change_type", "_change_ordinal", "_commit_snapshot_id");

  private TableFormats() {}

  static boolean isDelta(Object object) {
    return object != null && object.getClass().getName().startsWith(DELTA);
  }

  private static boolean isIceberg(Object object) {
    return object != null && object.getClass().getName().startsWith(ICEBERG);
  }

  /** Returns the target table of a connector's MERGE, UPDATE or DELETE; any other table unchanged. */
  static Table operated(Table table) {
    return table instanceof RowLevelOperationTable ? ((RowLevelOperationTable) table).table() : table;
  }

  /** Returns the table that a CLONE copies; null if the value is not the source of a CLONE. */
  static Table cloned(Object source) {
    boolean isSource = isDelta(source) && source.getClass().getSimpleName().equals("CloneDeltaSource");
    Object table = isSource ? SparkFacts.held(source, "sourceTable") : null;
    return table instanceof Table ? (Table) table : null;
  }

  static String provider(Table table) {
    return isDelta(table) ? "delta" : isIceberg(table) ? "iceberg" : null;
  }

  /** Returns the location of the table, or null if it is not in memory. */
  static String location(Table table) {
    Object location = null;
    if (isDelta(table)) {
      location = SparkFacts.held(table, "path"); // a staged table has none
    } else if (isIceberg(table)) {
      Object iceberg = SparkFacts.get(table, "table");
      location = icebergLocation(iceberg == null ? SparkFacts.held(table, "table") : iceberg);
    }
    return location == null ? null : location.toString(); // a Hadoop Path or a String
  }

  /** Returns the table that an Iceberg metadata table (snapshots, files) describes; null for other tables. */
  private static Object described(Object iceberg) {
    return iceberg == null ? null : SparkFacts.get(iceberg, "table");
  }

  static boolean isMetadata(Table table) {
    return isIceberg(table) && described(SparkFacts.get(table, "table")) != null;
  }

  /** Returns whether the column of an Iceberg change feed is not a column of the table. */
  static boolean isOfChange(LogicalPlan plan, String column) {
    return CHANGE_COLUMNS.contains(column)
        && plan instanceof DataSourceV2Relation
        && ((DataSourceV2Relation) plan).table().getClass().getName().equals(CHANGELOG);
  }

  /** Returns the location from the last metadata in memory, because location() may query the catalog. */
  private static Object icebergLocation(Object iceberg) {
    Object described = described(iceberg);
    if (iceberg == null || described != null) {
      return described == null ? null : icebergLocation(described);
    }
    String name = iceberg.getClass().getSimpleName();
    if (name.equals("TransactionTable") || name.startsWith("Serializable")) {
      return SparkFacts.get(iceberg, "location");
    }
    Object operations = SparkFacts.get(iceberg, "operations");
    Object metadata = SparkFacts.held(operations, "currentMetadata", "current");
    return metadata == null ? null : SparkFacts.get(metadata, "location");
  }

  /** Returns the directory of the table whose change feed this is. */
  static Object pathOfChanges(BaseRelation relation) {
    Object held = SparkFacts.held(relation, "snapshotWithSchemaMode", "snapshotForBatchSchema");
    Object snapshot = SparkFacts.held(held, "snapshot");
    Object log = SparkFacts.held(snapshot == null ? held : snapshot, "deltaLog");
    return SparkFacts.held(log, "dataPath");
  }

  /** Returns the table version that a scan read; null if it is uncertain. */
  static Object read(SparkPlan plan) {
    Object relation = ClassInfo.element(plan, "relation");
    if (relation instanceof HadoopFsRelation) {
      return deltaRead(((HadoopFsRelation) relation).location());
    }
    Object scan = ClassInfo.element(plan, "scan");
    return isIceberg(scan) ? icebergRead(scan) : null;
  }

  /** Returns the table version that a write created; null if it is uncertain. */
  static Object written(SparkPlan plan) {
    Object write = ClassInfo.element(plan, "write");
    if (isIceberg(write)) {
      return icebergWritten(write);
    }
    Object command = ClassInfo.element(plan, "cmd");
    return isDelta(command) ? deltaWritten(command, plan) : null;
  }

  /**
   * Returns the version read by a scan of Delta, or null if it is uncertain. The version of a planned scan is
   * fixed. An unplanned relation without time travel may read a later version than that of its analysis.
   */
  private static Object deltaRead(Object index) {
    if (!isDelta(index) || index.getClass().getSimpleName().matches("Cd[cf].*|.*Remove.*")) {
      return null; // changes span several versions
    }
    Object pinned = SparkFacts.held(index, "snapshot");
    boolean travels = Boolean.TRUE.equals(SparkFacts.held(index, "isTimeTravelQuery"));
    return deltaVersion(pinned == null && travels ? SparkFacts.held(index, "snapshotAtAnalysis") : pinned);
  }

  private static Object deltaVersion(Object snapshot) {
    return snapshot == null ? null : SparkFacts.get(snapshot, "version");
  }

  /**
   * Returns the version committed by a Delta command, or null if it is uncertain. If a command was analyzed at
   * version n, its commit is greater than n and at most the newest version in memory. If that is n + 1, the
   * command committed it. With concurrent writers it may be greater, and the command's version is uncertain.
   */
  private static Object deltaWritten(Object command, SparkPlan plan) {
    Object index = SparkFacts.held(command, "targetFileIndex", "tahoeFileIndex");
    if (index == null) {
      index = indexOf(SparkFacts.held(command, "target"));
    }
    Object before = deltaVersion(SparkFacts.held(index, "snapshotAtAnalysis"));
    Object log = SparkFacts.held(index, "deltaLog");
    Object captured = SparkFacts.held(log, "currentSnapshot");
    Object after = deltaVersion(SparkFacts.held(captured, "snapshot"));
    boolean isNext = before instanceof Long && after instanceof Long && (Long) after == (Long) before + 1;
    return isNext && changed(plan) ? after : null;
  }

  /** Returns the file index of the target relation, below its aliases. */
  private static Object indexOf(Object plan) {
    Object below = plan;
    while (below instanceof SubqueryAlias) {
      below = ((SubqueryAlias) below).child();
    }
    Object relation = below instanceof LogicalRelation ? ((LogicalRelation) below).relation() : null;
    return relation instanceof HadoopFsRelation ? ((HadoopFsRelation) relation).location() : null;
  }

  private static boolean changed(SparkPlan plan) {
    for (String name : CHANGED) {
      Option<SQLMetric> metric = plan.metrics().get(name);
      if (metric.isDefined() && metric.get().value() > 0) {
        return true;
      }
    }
    return false;
  }

  private static Object icebergRead(Object scan) {
    if (described(SparkFacts.held(scan, "table")) != null) {
      return null; // a metadata table may describe several versions
    }
    Object reports = SparkFacts.held(scan, "scanReportSupplier");
    Object reported = reports instanceof Supplier ? snapshotId(((Supplier<?>) reports).get()) : null;
    return reported != null ? reported : snapshotId(SparkFacts.held(scan, "snapshot"));
  }

  /** Returns the version from the commit report or, for a table created with its rows, the transaction. */
  private static Object icebergWritten(Object write) {
    Object reporter = SparkFacts.held(write, "metricsReporter");
    Object report = reporter == null ? null : SparkFacts.get(reporter, "commitReport");
    if (report != null) {
      return snapshotId(report);
    }
    Object metadata = SparkFacts.held(transaction(SparkFacts.held(write, "table")), "current");
    Object snapshot = metadata == null ? null : SparkFacts.get(metadata, "currentSnapshot");
    return snapshotId(snapshot);
  }

  private static Object transaction(Object table) {
    boolean isStaged = table != null && table.getClass().getSimpleName().equals("TransactionTable");
    return isStaged ? SparkFacts.held(table, "this$0") : null;
  }

  private static Object snapshotId(Object of) {
    Object id = of == null ? null : SparkFacts.get(of, "snapshotId");
    return id instanceof Long && (Long) id >= 0 ? id : null; // -1: a table without rows has no snapshot
  }
}
