package io.lineage.spark.dryrun;

import io.lineage.spark.ReadVersions;
import io.lineage.spark.records.LocationNames;
import io.lineage.spark.records.PlanTrees;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.Table;

/** The target of a command: its names, the best first, and the query of the command. */
final class Target {
  private static final String[] MEMBERS = {
    "catalogTable", "table", "targetTable", "child", "tableDesc", "tableIdentifier", "tableName", "oldName", "newName",
    "name", "viewName", "target", "sourceTable"
  };

  final List<String> names;

  /** The query whose rows it writes, or null. */
  final LogicalPlan query;

  private final Object catalog;
  private final Configuration settings;

  private Target(SparkSession session, LogicalPlan command) {
    Object query = PlanTrees.member(command, "query");
    this.query = query instanceof LogicalPlan ? (LogicalPlan) query : null;
    this.catalog = PlanTrees.member(PlanTrees.member(session, "sessionState"), "catalog");
    this.settings = session.sparkContext().hadoopConfiguration();
    this.names = new ArrayList<>(names(command));
  }

  static Target of(SparkSession session, LogicalPlan command) {
    return new Target(session, command);
  }

  private Set<String> names(LogicalPlan command) {
    Set<String> names = new LinkedHashSet<>();
    Object path = PlanTrees.member(command, "outputPath");
    if (path instanceof Path) {
      names.add(name((Path) path));
    }
    Object storage = PlanTrees.member(command, "storage"); // of INSERT OVERWRITE DIRECTORY
    Object directory = storage == null ? null : DatasetNames.content(PlanTrees.member(storage, "locationUri"));
    if (directory instanceof URI) {
      names.add(name(new Path((URI) directory)));
    }
    for (String member : MEMBERS) {
      Object value = PlanTrees.member(command, member);
      if (query == null || value != query) { // the query of a write is its child, too
        addName(names, value);
      }
    }
    Object options = PlanTrees.member(command, "options");
    if (options instanceof scala.collection.immutable.Map) {
      addOptions(names, (scala.collection.immutable.Map<?, ?>) options);
    }
    addDatabase(names, PlanTrees.member(command, "databaseName"));
    return names;
  }

  private void addName(Set<String> names, Object member) {
    Object value = DatasetNames.content(member);
    if (value instanceof CatalogTable) {
      names.addAll(DatasetNames.ofTable(value));
    } else if (value instanceof TableIdentifier) {
      addIdentifier(names, (TableIdentifier) value);
    } else if (value instanceof LogicalPlan) {
      addPlan(names, (LogicalPlan) value);
    } else if (value instanceof Table) {
      addTable(names, (Table) value);
    } else if (value != null) {
      names.add(value.toString().replace("`", ""));
    }
  }

  /** Adds the location of a table of a connector, where it has one, and its name. */
  private void addTable(Set<String> names, Table table) {
    String location = ReadVersions.location(table);
    if (location != null) {
      names.add(name(new Path(location)));
    }
    names.add(table.name().replace("`", ""));
  }

  /** Adds the location of a table that exists, and its identifier. */
  private void addIdentifier(Set<String> names, TableIdentifier identifier) {
    names.addAll(DatasetNames.ofTable(PlanTrees.answer(catalog, "getTableMetadata", identifier)));
    names.add(identifier.unquotedString());
  }

  private void addPlan(Set<String> names, LogicalPlan target) {
    if (target.getClass().getSimpleName().equals("SubqueryAlias")) {
      addPlan(names, PlanTrees.children(target).get(0)); // DELETE FROM orders AS o
      return;
    }
    if (target.getClass().getSimpleName().equals("LogicalRelation")) {
      DatasetNames.readBy(target).forEach(names::addAll);
      return;
    }
    Object namespace = PlanTrees.member(target, "namespace");
    if (namespace instanceof scala.collection.Seq) {
      List<String> parts = new ArrayList<>();
      PlanTrees.list(namespace).forEach(part -> parts.add(String.valueOf(part)));
      addDatabase(names, String.join(".", parts));
    } else {
      Object name = PlanTrees.member(target, "name");
      names.add(name instanceof String ? (String) name : DatasetNames.identifier(target));
    }
  }

  /** Adds all tables of a database, and its location. */
  private void addDatabase(Set<String> names, Object database) {
    if (database instanceof String) {
      names.add(database + ".*");
      Object metadata = PlanTrees.answer(catalog, "getDatabaseMetadata", database);
      if (metadata != null) {
        names.add(LocationNames.of((URI) PlanTrees.member(metadata, "locationUri")));
      }
    }
  }

  private void addOptions(Set<String> names, scala.collection.immutable.Map<?, ?> options) {
    for (String key : new String[] {"path", "dbtable", "table", "topic"}) {
      Object value = PlanTrees.option(options, key);
      if (value != null) {
        names.add(key.equals("path") ? name(new Path(value.toString())) : value.toString());
      }
    }
  }

  private String name(Path location) {
    return LocationNames.of(location, settings);
  }

  String best() {
    return names.isEmpty() ? "" : names.get(0);
  }
}
