package io.lineage.spark.dryrun;

import io.lineage.spark.records.PlanTrees;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** The commands that a dry run knows. It stops the application at any other. */
final class Commands {
  /** Commands that read, or change nothing but the session. */
  private static final Set<String> HARMLESS =
      new HashSet<>(
          Arrays.asList(
              "SetCommand", "ResetCommand", "ExplainCommand", "SetCatalogCommand", "SetCatalogAndNamespace",
              "SetNamespaceCommand", "SetVariable", "CreateVariable", "DropVariable", "DropTempView",
              "DropTempViewCommand", "CreateTempViewUsing", "CacheTable", "CacheTableAsSelect", "CacheTableCommand",
              "UncacheTable", "UncacheTableCommand", "ClearCacheCommand", "RefreshTable", "RefreshTableCommand",
              "RefreshFunction", "RefreshFunctionCommand", "RefreshResource", "AddJarsCommand", "AddFilesCommand",
              "AddArchivesCommand", "ListJarsCommand", "ListFilesCommand", "ListArchivesCommand", "CompoundBody"));

  /** Commands that write, define or remove tables. They are replaced by nothing. */
  private static final Set<String> DIVERTED =
      new HashSet<>(
          Arrays.asList(
              "InsertIntoHadoopFsRelationCommand", "InsertIntoDataSourceCommand", "InsertIntoHiveTable",
              "InsertIntoHiveDirCommand", "InsertIntoDataSourceDirCommand", "SaveIntoDataSourceCommand", "SaveAsV1TableCommand",
              "CreateDataSourceTableAsSelectCommand", "CreateHiveTableAsSelectCommand", "AppendData",
              "OverwriteByExpression", "OverwritePartitionsDynamic", "CreateTableAsSelect", "ReplaceTableAsSelect",
              "CreateTable", "ReplaceTable", "CreateTableCommand", "CreateDataSourceTableCommand",
              "CreateTableLikeCommand", "CreateTableLike", "CreateNamespace", "CreateDatabaseCommand", "CreateView",
              "DropTable", "DropTableCommand", "DropView", "DropNamespace", "DropDatabaseCommand", "TruncateTable",
              "TruncateTableCommand", "TruncatePartition", "TruncatePartitionCommand", "DeleteFromTable",
              "DeleteFromTableWithFilters", "UpdateTable", "MergeIntoTable", "ReplaceData", "WriteDelta",
              "LoadData", "LoadDataCommand", "AnalyzeTable", "AnalyzeTables", "AnalyzeColumn", "AnalyzeTableCommand",
              "AnalyzeTablesCommand", "AnalyzeColumnCommand", "AnalyzePartitionCommand", "RepairTable",
              "RepairTableCommand", "RecoverPartitions", "RecoverPartitionsCommand", "RenameTable", "CommentOnTable",
              "CommentOnNamespace", "AddPartitions", "DropPartitions", "RenamePartitions", "AddColumns",
              "ReplaceColumns", "DropColumns", "RenameColumn", "AlterColumns", "AlterColumn", "SetTableProperties",
              "UnsetTableProperties", "SetTableLocation", "SetNamespaceProperties", "SetNamespaceLocation"));

  private Commands() {}

  static boolean isHarmless(Object command) {
    String name = command.getClass().getSimpleName();
    return HARMLESS.contains(name)
        || name.startsWith("Show")
        || name.startsWith("Describe")
        || isView(command) && !isPersisted(command)
        || isFunction(name) && Boolean.TRUE.equals(PlanTrees.member(command, "isTemp"));
  }

  static boolean isDiverted(Object command) {
    String name = command.getClass().getSimpleName();
    return DIVERTED.contains(name)
        || name.startsWith("AlterTable")
        || name.startsWith("AlterView")
        || isView(command)
        || isFunction(name);
  }

  private static boolean isView(Object command) {
    return command.getClass().getSimpleName().equals("CreateViewCommand");
  }

  private static boolean isPersisted(Object view) {
    return String.valueOf(PlanTrees.member(view, "viewType")).startsWith("Persisted");
  }

  private static boolean isFunction(String name) {
    return name.matches("(Create|Drop)\\w*FunctionCommand");
  }
}
