package io.lineage.spark.dryrun;

import io.lineage.spark.records.PlanTrees;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

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

  /** Commands that write, define or remove tables, with their greatest effect. They are replaced by nothing. */
  private static final Map<String, Effect> EFFECTS = new HashMap<>();

  static {
    add(Effect.NONE, "CreateTable", "CreateTableCommand", "CreateDataSourceTableCommand", "CreateTableLikeCommand",
        "CreateTableLike", "CreateNamespace", "CreateDatabaseCommand", "AnalyzeTable", "AnalyzeTables", "AnalyzeColumn",
        "AnalyzeTableCommand", "AnalyzeTablesCommand", "AnalyzeColumnCommand", "AnalyzePartitionCommand",
        "CommentOnTable", "CommentOnNamespace", "SetNamespaceProperties", "SetNamespaceLocation");
    add(Effect.ADDS, "InsertIntoHadoopFsRelationCommand", "InsertIntoDataSourceCommand", "InsertIntoHiveTable",
        "InsertIntoHiveDirCommand", "InsertIntoDataSourceDirCommand", "SaveIntoDataSourceCommand",
        "SaveAsV1TableCommand", "CreateDataSourceTableAsSelectCommand", "CreateHiveTableAsSelectCommand", "AppendData",
        "OverwriteByExpression", "OverwritePartitionsDynamic", "CreateTableAsSelect", "LoadData", "LoadDataCommand",
        "AddPartitions", "AlterTableAddPartitionCommand", "RepairTable", "RepairTableCommand", "RecoverPartitions",
        "RecoverPartitionsCommand", "AlterTableRecoverPartitionsCommand");
    add(Effect.REPLACES, "ReplaceTableAsSelect");
    addDelta();
    addIceberg();
    add(Effect.EMPTIES, "ReplaceTable", "DropTable", "DropTableCommand", "DropView", "DropNamespace",
        "DropDatabaseCommand", "TruncateTable", "TruncateTableCommand");
    add(Effect.CHANGES, "CreateView", "TruncatePartition", "TruncatePartitionCommand", "DeleteFromTable",
        "DeleteFromTableWithFilters", "UpdateTable", "MergeIntoTable", "ReplaceData", "WriteDelta", "RenameTable",
        "DropPartitions", "RenamePartitions", "AddColumns", "ReplaceColumns", "DropColumns", "RenameColumn",
        "AlterColumns", "AlterColumn", "SetTableProperties", "UnsetTableProperties", "SetTableLocation");
  }

  private Commands() {}

  /** Those that rewrite or remove files leave the rows of the table as they are. */
  private static void addDelta() {
    add(Effect.NONE, "OptimizeTableCommand", "VacuumTableCommand", "DeltaReorgTableCommand", "DeltaGenerateCommand");
    add(Effect.CHANGES, "MergeIntoCommand", "DeleteCommand", "UpdateCommand", "RestoreTableCommand",
        "ConvertToDeltaCommand", "CreateDeltaTableCommand", "CloneTableCommand");
    add(Effect.EMPTIES, "TruncateDeltaTableCommand");
  }

  /** Branches and tags are names of versions. A new one is not there for later statements. */
  private static void addIceberg() {
    add(Effect.NONE, "SetWriteDistributionAndOrdering", "SetIdentifierFields", "DropIdentifierFields",
        "AddPartitionField", "DropPartitionField", "ReplacePartitionField");
    add(Effect.CHANGES, "CreateOrReplaceBranch", "CreateOrReplaceTag", "DropBranch", "DropTag");
  }

  private static void add(Effect effect, String... names) {
    Arrays.asList(names).forEach(name -> EFFECTS.put(name, effect));
  }

  static boolean isHarmless(Object command) {
    String name = command.getClass().getSimpleName();
    return HARMLESS.contains(name)
        || name.startsWith("Show")
        || name.startsWith("Describe")
        || isView(command) && !isPersisted(command)
        || isFunction(name) && Boolean.TRUE.equals(PlanTrees.member(command, "isTemp"));
  }

  /** Returns the effect of a command on the rows of its target, or null if it is not known. */
  static Effect effect(LogicalPlan command, Object catalog) {
    String name = command.getClass().getSimpleName();
    Effect effect = EFFECTS.get(name);
    if (effect == Effect.ADDS && isWhole(command)) {
      return Effect.REPLACES;
    } else if (name.startsWith("TruncateTable") && isPartial(PlanTrees.member(command, "partitionSpec"))) {
      return Effect.CHANGES;
    } else if (effect != null) {
      return effect;
    } else if (isFunction(name)) {
      return Boolean.TRUE.equals(PlanTrees.member(command, "replace")) ? null : Effect.NONE;
    }
    if (isView(command)) {
      return isDefinedAlready(command, catalog) ? Effect.NONE : Effect.CHANGES;
    }
    return name.startsWith("AlterTable") || name.startsWith("AlterView") ? Effect.CHANGES : null;
  }

  /** Returns whether a write replaces all rows, and not those of partitions or with a condition. */
  private static boolean isWhole(LogicalPlan command) {
    Object condition = PlanTrees.member(command, "deleteExpr");
    if (condition != null) {
      return condition instanceof Literal && Boolean.TRUE.equals(((Literal) condition).value());
    }
    boolean isOverwrite =
        Boolean.TRUE.equals(PlanTrees.member(command, "overwrite"))
            || "Overwrite".equals(String.valueOf(PlanTrees.member(command, "mode")));
    return isOverwrite
        && !isPartial(PlanTrees.member(command, "staticPartitions"))
        && !isPartial(PlanTrees.member(command, "partition"))
        && !Boolean.TRUE.equals(PlanTrees.member(command, "dynamicPartitionOverwrite"));
  }

  private static boolean isPartial(Object partitions) {
    Object map = DatasetNames.content(partitions);
    return map instanceof scala.collection.Map && !((scala.collection.Map<?, ?>) map).isEmpty();
  }

  /** Returns whether a persisted view exists with this text and these columns. */
  private static boolean isDefinedAlready(LogicalPlan view, Object catalog) {
    Object table = PlanTrees.answer(catalog, "getTableMetadata", PlanTrees.member(view, "name"));
    Object text = PlanTrees.member(view, "originalText");
    boolean hasColumns = !PlanTrees.list(PlanTrees.member(view, "userSpecifiedColumns")).isEmpty();
    return table != null && !hasColumns && text.equals(PlanTrees.member(table, "viewOriginalText"));
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
