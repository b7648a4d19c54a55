package io.lineage.spark.dryrun;

import io.lineage.spark.records.PlanTrees;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.Option;

/** What a command writes: the names of its target, the best first, and its query. */
final class Target {
  final List<String> names;

  /** The query whose rows it writes, or null. */
  final LogicalPlan query;

  private Target(Set<String> names, LogicalPlan query) {
    this.names = new ArrayList<>(names);
    this.query = query;
  }

  static Target of(LogicalPlan command) {
    Set<String> names = new LinkedHashSet<>();
    Object path = PlanTrees.member(command, "outputPath");
    if (path instanceof Path) {
      names.add(((Path) path).toUri().getPath());
    }
    for (String member : new String[] {"catalogTable", "table", "tableDesc", "tableIdentifier", "name", "tableName"}) {
      addName(names, PlanTrees.member(command, member));
    }
    Object options = PlanTrees.member(command, "options");
    if (options instanceof scala.collection.immutable.Map) {
      addOptions(names, (scala.collection.immutable.Map<?, ?>) options);
    }
    Object query = PlanTrees.member(command, "query");
    return new Target(names, query instanceof LogicalPlan ? (LogicalPlan) query : null);
  }

  private static void addName(Set<String> names, Object value) {
    if (value instanceof Option) {
      addName(names, ((Option<?>) value).isDefined() ? ((Option<?>) value).get() : null);
    } else if (value instanceof CatalogTable) {
      CatalogTable table = (CatalogTable) value;
      if (table.storage().locationUri().isDefined()) {
        names.add(table.storage().locationUri().get().getPath());
      }
      names.add(table.identifier().unquotedString());
    } else if (value instanceof LogicalPlan) {
      Object name = PlanTrees.member(value, "name");
      names.add(name instanceof String ? (String) name : identifier((LogicalPlan) value));
    } else if (value != null) {
      names.add(value.toString().replace("`", ""));
    }
  }

  private static String identifier(LogicalPlan resolved) {
    Object identifier = PlanTrees.member(resolved, "identifier");
    return identifier == null ? resolved.nodeName() : identifier.toString().replace("`", "");
  }

  private static void addOptions(Set<String> names, scala.collection.immutable.Map<?, ?> options) {
    for (String key : new String[] {"path", "dbtable", "table", "topic"}) {
      Object value = PlanTrees.option(options, key);
      if (value != null) {
        names.add(key.equals("path") ? new Path(value.toString()).toUri().getPath() : value.toString());
      }
    }
  }

  String best() {
    return names.isEmpty() ? "" : names.get(0);
  }
}
