package io.lineage.spark;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.jdbc.JDBCRelation;
import scala.Option;
import scala.collection.Iterator;

/**
 * The nodes of a plan by what their relations read. Spark uses a cache for each plan that is equal to the cached one.
 * The scans of the cached plan then hold other relations than the plan that uses the cache.
 */
final class EqualRelations {
  /** Longer lists are not compared. */
  private static final int MAX_PATHS = 1_000;

  private final Map<String, Integer> nodes = new HashMap<>();

  /** Maps each key to its first node. The relations of a query precede the target of a command. */
  EqualRelations(Map<Object, Integer> relations) {
    relations.forEach(
        (relation, node) -> {
          String key = key(relation);
          if (key != null) {
            nodes.merge(key, node, Math::min);
          }
        });
  }

  /** Returns the node that reads the same as a relation, a table or an identifier; null if there is none. */
  Integer of(Object relation) {
    String key = key(relation instanceof Option ? ((Option<?>) relation).getOrElse(() -> null) : relation);
    return key == null ? null : nodes.get(key);
  }

  private static String key(Object relation) {
    if (relation instanceof HadoopFsRelation) {
      return files((HadoopFsRelation) relation);
    } else if (relation instanceof HiveTableRelation) {
      return key(((HiveTableRelation) relation).tableMeta());
    } else if (relation instanceof CatalogTable) {
      return key(((CatalogTable) relation).identifier());
    } else if (relation instanceof TableIdentifier) {
      return "table " + ((TableIdentifier) relation).unquotedString();
    } else if (relation instanceof RDD) {
      return "rdd " + ((RDD<?>) relation).id();
    } else if (relation instanceof JDBCRelation) {
      JDBCRelation jdbc = (JDBCRelation) relation;
      return "jdbc " + jdbc.jdbcOptions().url() + " " + jdbc.jdbcOptions().tableOrQuery();
    }
    return relation instanceof Table ? relation.getClass().getName() + " " + ((Table) relation).name() : null;
  }

  private static String files(HadoopFsRelation relation) {
    TreeSet<String> paths = new TreeSet<>();
    Iterator<?> roots = SparkReflection.rootPaths(relation.location()).iterator();
    while (roots.hasNext()) {
      paths.add(roots.next().toString());
      if (paths.size() > MAX_PATHS) {
        return null;
      }
    }
    return paths.isEmpty() ? null : "files " + String.join("\n", paths);
  }
}
