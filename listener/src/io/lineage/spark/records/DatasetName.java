package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/** The name of the dataset that a leaf of a plan reads: its location, as in the graph, or the name of its table. */
final class DatasetName {
  private static final Pattern USER = Pattern.compile("^((?:jdbc:)?[\\w+]+:(?:thin:|oci:|//)?).*@");
  private static final Pattern DATABASE = Pattern.compile("(?i)[?;&]database(?:Name)?=([^;&]*)");

  final String text;

  /** Distinguishes the dataset from others of this name; null if the name is sufficient. */
  final Object origin;

  private DatasetName(String text, Object origin) {
    this.text = text;
    this.origin = origin;
  }

  static DatasetName of(LogicalPlan leaf) {
    if (leaf instanceof LogicalRelation) {
      Object relation = ((LogicalRelation) leaf).relation();
      boolean isFiles = relation instanceof HadoopFsRelation;
      return isFiles ? ofFiles(((HadoopFsRelation) relation).location(), leaf) : ofRelation(relation);
    }
    if (leaf instanceof HiveTableRelation) {
      return new DatasetName(LocationNames.of(((HiveTableRelation) leaf).tableMeta().location()), null);
    }
    if (leaf instanceof DataSourceV2Relation) {
      DataSourceV2Relation relation = (DataSourceV2Relation) leaf;
      boolean isNamed = relation.identifier().isDefined();
      return new DatasetName(relation.name(), isNamed ? null : PlanTrees.member(relation, "options"));
    }
    return new DatasetName(leaf.nodeName(), rows(leaf));
  }

  private static DatasetName ofFiles(FileIndex index, LogicalPlan leaf) {
    List<String> names = new ArrayList<>();
    for (Path path : Seqs.<Path>list(Catalyst.callAs(FileIndex.class, index, "rootPaths"))) {
      names.add(LocationNames.of(path));
    }
    return names.isEmpty() ? new DatasetName(leaf.nodeName(), index) : new DatasetName(String.join(",", names), null);
  }

  private static DatasetName ofRelation(Object relation) {
    Object options = PlanTrees.member(relation, "jdbcOptions");
    if (options == null) {
      return new DatasetName(relation.toString(), relation);
    }
    String url = String.valueOf(PlanTrees.member(options, "url"));
    String table = String.valueOf(PlanTrees.member(options, "tableOrQuery"));
    return new DatasetName(ofDatabase(url) + "/" + table, Arrays.asList(url, table));
  }

  /** Returns a URL without its user and its parameters, which may have a password, but with the database. */
  private static String ofDatabase(String url) {
    Matcher database = DATABASE.matcher(url);
    String place = USER.matcher(url.split("[?;]", 2)[0]).replaceFirst("$1");
    return database.find() ? place + "/" + database.group(1) : place;
  }

  /** Returns the object with the rows of a leaf without a name; copies of the leaf have the same. */
  private static Object rows(LogicalPlan leaf) {
    Object rdd = PlanTrees.member(leaf, "rdd");
    return rdd == null ? Catalyst.call(leaf, "canonicalized") : rdd;
  }
}
