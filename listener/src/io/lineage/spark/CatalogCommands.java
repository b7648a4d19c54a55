package io.lineage.spark;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.CatalogPlugin;
import org.apache.spark.sql.connector.catalog.Identifier;

/** The effects of commands on tables and databases of the session catalog, for {@link TableLocations}. */
final class CatalogCommands {
  /** Commands that change the locations of tables, by their names in V1 and in the connector API. */
  private static final Set<String> CHANGING =
      new HashSet<>(
          Arrays.asList(
              "CreateDataSourceTableCommand", "CreateDataSourceTableAsSelectCommand", "CreateTableCommand",
              "CreateHiveTableAsSelectCommand", "OptimizedCreateHiveTableAsSelectCommand",
              "CreateTableLikeCommand", "DropTableCommand", "AlterTableRenameCommand",
              "AlterTableSetLocationCommand", "CreateTable", "CreateTableAsSelect", "ReplaceTable",
              "ReplaceTableAsSelect", "DropTable", "RenameTable", "SetTableLocation",
              "CreateDatabaseCommand", "DropDatabaseCommand", "AlterDatabaseSetLocationCommand",
              "CreateNamespace", "DropNamespace", "SetNamespaceLocation"));

  private final TableLocations locations;

  CatalogCommands(TableLocations locations) {
    this.locations = locations;
  }

  /** Returns whether the command changes locations of tables. */
  static boolean concern(LogicalPlan command) {
    return command != null && CHANGING.contains(ClassInfo.of(command).simpleName);
  }

  /** Returns whether the command succeeds if its table already exists, without replacing the table. */
  static boolean targetMayExist(LogicalPlan command) {
    Object mode = SparkFacts.get(command, "mode");
    boolean isRetained = mode != null && String.valueOf(mode).matches("Append|Ignore");
    return isRetained || is(command, "ignoreIfExists") || is(command, "ifNotExists");
  }

  /** Processes the end of a command that changes locations. */
  void ended(LogicalPlan command, boolean failed) {
    String name = ClassInfo.of(command).simpleName;
    if (name.contains("Namespace") || name.contains("Database")) {
      database(name, command, failed);
    } else if (name.equals("CreateTableLikeCommand")) {
      TableIdentifier target = (TableIdentifier) SparkFacts.get(command, "targetTable");
      Object location = SparkFacts.get(SparkFacts.get(command, "fileFormat"), "locationUri");
      locations.made(target, location, location == null, targetMayExist(command), failed);
    } else if (name.startsWith("Create") && name.endsWith("Command") || name.startsWith("Optimized")) {
      made(command, name.contains("Hive") ? "tableDesc" : "table", failed);
    } else if (name.equals("AlterTableRenameCommand")) {
      renamed(command, failed);
    } else if (name.equals("AlterTableSetLocationCommand")) {
      moved(command, failed);
    } else if (name.equals("DropTableCommand")) {
      locations.dropped((TableIdentifier) SparkFacts.get(command, "tableName"), failed);
    } else {
      resolved(command, name.equals("DropTable") && !failed);
    }
  }

  private void made(LogicalPlan command, String member, boolean failed) {
    CatalogTable table = (CatalogTable) SparkFacts.get(command, member);
    Object location = SparkFacts.get(table.storage(), "locationUri");
    boolean isManaged = TableLocations.isManaged(table);
    locations.made(table.identifier(), location, isManaged, targetMayExist(command), failed);
  }

  private void moved(LogicalPlan command, boolean failed) {
    if (SparkFacts.get(command, "partitionSpec") == null) {
      Object location = SparkFacts.get(command, "location");
      locations.moved((TableIdentifier) SparkFacts.get(command, "tableName"), location, failed);
    }
  }

  private void renamed(LogicalPlan command, boolean failed) {
    TableIdentifier old = (TableIdentifier) SparkFacts.get(command, "oldName");
    if (!is(command, "isView")) {
      locations.renamed(old, (TableIdentifier) SparkFacts.get(command, "newName"), failed);
    }
  }

  /** Processes a command of the connector API, whose table is a plan. */
  private void resolved(LogicalPlan command, boolean isDropped) {
    Object target = SparkFacts.get(command, "child");
    for (String member : new String[] {"name", "table"}) {
      target = target == null ? SparkFacts.get(command, member) : target;
    }
    Object catalog = target == null ? null : SparkFacts.get(target, "catalog");
    Object table = target == null ? null : SparkFacts.get(target, "identifier");
    if (catalog instanceof CatalogPlugin && table instanceof Identifier) {
      locations.changed((CatalogPlugin) catalog, (Identifier) table, isDropped);
    }
  }

  private void database(String command, LogicalPlan plan, boolean failed) {
    String database = databaseOf(plan);
    if (database == null) {
      return;
    }
    if (!command.startsWith("Create")) {
      locations.changed(database);
      return;
    }
    Object given = command.endsWith("Command") ? SparkFacts.get(plan, "path") : property(plan, "location");
    locations.made(database, given, targetMayExist(plan), failed);
  }

  private static String databaseOf(LogicalPlan command) {
    Object name = SparkFacts.get(command, "databaseName");
    if (name != null) {
      return (String) name;
    }
    Object namespace = SparkFacts.get(command, "namespace");
    Object resolved = namespace != null ? namespace : SparkFacts.get(command, "name");
    Object catalog = resolved == null ? null : SparkFacts.get(resolved, "catalog");
    Object parts = resolved == null ? null : SparkFacts.get(resolved, "namespace");
    boolean isOfSession =
        catalog instanceof CatalogPlugin && TableLocations.isOfSession((CatalogPlugin) catalog);
    return isOfSession && parts instanceof scala.collection.Seq
        ? (String) ((scala.collection.Seq<?>) parts).last()
        : null;
  }

  @SuppressWarnings("unchecked")
  private static Object property(LogicalPlan command, String name) {
    Object properties = SparkFacts.get(command, "properties");
    return properties instanceof scala.collection.Map
        ? ((scala.collection.Map<Object, ?>) properties).get(name).getOrElse(() -> null)
        : null;
  }

  private static boolean is(LogicalPlan command, String flag) {
    return Boolean.TRUE.equals(SparkFacts.get(command, flag));
  }
}
