package io.lineage.spark;

import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;

/** The locations of tables of Delta Lake and Iceberg, and the versions of them that queries read. */
public final class ReadVersions {
  private ReadVersions() {}

  /** Returns the version that a planned scan reads, or null. */
  public static String version(SparkPlan scan) {
    Object version = TableFormats.read(scan);
    return version == null ? null : version.toString();
  }

  /** Returns the location of the table that a planned scan reads, or null if it is no table of these formats. */
  public static String location(SparkPlan scan) {
    Object relation = ClassInfo.element(scan, "relation");
    if (relation instanceof HadoopFsRelation) {
      return location(((HadoopFsRelation) relation).location());
    }
    Object table = ClassInfo.element(scan, "table");
    return table instanceof Table ? TableFormats.location((Table) table) : null;
  }

  /** Returns the location of a table of Delta Lake, or null for files without a log. */
  public static String location(FileIndex index) {
    Object path = TableFormats.isDelta(index) ? SparkFacts.get(index, "path") : null;
    return path == null ? null : path.toString();
  }

  public static String location(Table table) {
    return TableFormats.location(table);
  }

  /** Returns whether the query itself names a version of the table. */
  public static boolean isNamed(FileIndex index) {
    return Boolean.TRUE.equals(SparkFacts.get(index, "isTimeTravelQuery"));
  }

  public static boolean isNamed(Table table) {
    return SparkFacts.held(table, "snapshotId", "timeTravel", "branch") != null;
  }
}
