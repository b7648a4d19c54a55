package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/** The name of the dataset that a leaf of a plan reads: its path, as in the graph, or the name of its table. */
final class DatasetName {
  private DatasetName() {}

  static String of(LogicalPlan leaf) {
    if (leaf instanceof LogicalRelation) {
      Object relation = ((LogicalRelation) leaf).relation();
      boolean isFiles = relation instanceof HadoopFsRelation;
      return isFiles ? ofFiles(((HadoopFsRelation) relation).location(), leaf) : relation.toString();
    }
    if (leaf instanceof HiveTableRelation) {
      return ((HiveTableRelation) leaf).tableMeta().location().getPath();
    }
    if (leaf instanceof DataSourceV2Relation) {
      return ((DataSourceV2Relation) leaf).name();
    }
    return leaf.nodeName();
  }

  private static String ofFiles(FileIndex index, LogicalPlan leaf) {
    List<String> names = new ArrayList<>();
    for (Path path : Seqs.<Path>list(Catalyst.callAs(FileIndex.class, index, "rootPaths"))) {
      names.add(path.toUri().getPath());
    }
    return names.isEmpty() ? leaf.nodeName() : String.join(",", names);
  }
}
