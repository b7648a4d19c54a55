package io.lineage.spark.dryrun;

import io.lineage.spark.records.LocationNames;
import io.lineage.spark.records.PlanTrees;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import scala.Option;

/** The names of datasets: paths, and identifiers of tables and views. A table has both. */
final class DatasetNames {
  private DatasetNames() {}

  /** Returns the names of each dataset that a plan reads. */
  static List<Set<String>> readBy(LogicalPlan plan) {
    List<Set<String>> datasets = new ArrayList<>();
    PlanTrees.visit(plan, node -> datasets.addAll(of(node)));
    return datasets;
  }

  private static List<Set<String>> of(LogicalPlan node) {
    String kind = node.getClass().getSimpleName();
    if (kind.equals("View") && !Boolean.TRUE.equals(PlanTrees.member(node, "isTempView"))) {
      return Collections.singletonList(ofTable(PlanTrees.member(node, "desc")));
    } else if (kind.equals("HiveTableRelation")) {
      return Collections.singletonList(ofTable(PlanTrees.member(node, "tableMeta")));
    } else if (kind.startsWith("DataSourceV2")) {
      return Collections.singletonList(Collections.singleton(identifier(node)));
    }
    return kind.equals("LogicalRelation") ? ofRelation(node) : Collections.emptyList();
  }

  private static List<Set<String>> ofRelation(LogicalPlan node) {
    Set<String> table = ofTable(PlanTrees.member(node, "catalogTable"));
    Object relation = PlanTrees.member(node, "relation");
    if (!table.isEmpty()) {
      return Collections.singletonList(table);
    } else if (!(relation instanceof HadoopFsRelation)) {
      return Collections.singletonList(Collections.singleton(String.valueOf(relation)));
    }
    List<Set<String>> datasets = new ArrayList<>();
    Object paths = PlanTrees.member(((HadoopFsRelation) relation).location(), "rootPaths");
    PlanTrees.list(paths).forEach(path -> datasets.add(Collections.singleton(LocationNames.of((Path) path))));
    return datasets;
  }

  /** Returns the location and the identifier of a table of the catalog, or nothing for another value. */
  static Set<String> ofTable(Object value) {
    Object table = content(value);
    Set<String> names = new LinkedHashSet<>();
    if (table instanceof CatalogTable) {
      Object location = content(PlanTrees.member(PlanTrees.member(table, "storage"), "locationUri"));
      if (location != null) {
        names.add(LocationNames.of((URI) location));
      }
      names.add(((CatalogTable) table).identifier().unquotedString());
    }
    return names;
  }

  /** Returns the identifier of a table of a connector, else its name. */
  static String identifier(LogicalPlan relation) {
    Object identifier = content(PlanTrees.member(relation, "identifier"));
    Object name = identifier == null ? PlanTrees.member(relation, "name") : identifier;
    return name == null ? relation.nodeName() : name.toString().replace("`", "");
  }

  /** Returns the value of an option, or null; other values unchanged. */
  static Object content(Object value) {
    boolean isOption = value instanceof Option;
    return isOption ? (((Option<?>) value).isDefined() ? ((Option<?>) value).get() : null) : value;
  }

  /** Returns whether one of two names is that of the other's dataset, or of a part of it. */
  static boolean overlap(String one, String other) {
    return isWithin(one, other) || isWithin(other, one);
  }

  /** Returns whether a name is that of a dataset, or of a part of it: a path below, a table of a database. */
  static boolean isWithin(String part, String whole) {
    boolean isPath = LocationNames.isLocation(part);
    if (isPath != LocationNames.isLocation(whole)) {
      return false;
    } else if (isPath) {
      return part.equals(whole) || part.startsWith(whole.endsWith("/") ? whole : whole + "/");
    }
    List<String> parts = parts(part);
    List<String> wholes = parts(whole);
    boolean isDatabase = wholes.get(wholes.size() - 1).equals("*");
    return isDatabase ? endAlike(withoutLast(parts), withoutLast(wholes)) : endAlike(parts, wholes);
  }

  private static List<String> parts(String identifier) {
    return Arrays.asList(identifier.toLowerCase(Locale.ROOT).split("\\."));
  }

  private static List<String> withoutLast(List<String> parts) {
    return parts.subList(0, parts.size() - 1);
  }

  /** Returns whether the shorter identifier is the end of the longer one. */
  private static boolean endAlike(List<String> one, List<String> other) {
    int length = Math.min(one.size(), other.size());
    return one.subList(one.size() - length, one.size()).equals(other.subList(other.size() - length, other.size()));
  }
}
