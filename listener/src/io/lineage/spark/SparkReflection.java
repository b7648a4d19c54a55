package io.lineage.spark;

import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.Function;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.AliasIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.QueryPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.FileIndex;
import org.apache.spark.sql.execution.datasources.FilePartition;
import org.apache.spark.sql.execution.datasources.FileScanRDD;
import org.apache.spark.sql.execution.datasources.FileStatusWithMetadata;
import org.apache.spark.sql.execution.datasources.PartitionDirectory;
import scala.collection.Seq;

/**
 * The members of Spark whose types depend on the version of Spark or Scala, such as Seq. They are looked up by
 * name when this class is loaded, and are then as fast as direct calls. The same class files support every
 * Spark.
 */
final class SparkReflection {
  private static final Function<TreeNode<?>, Seq<?>> CHILDREN = of(TreeNode.class, "children");
  private static final Function<TreeNode<?>, Seq<?>> INNER = of(TreeNode.class, "innerChildren");
  private static final Function<QueryPlan<?>, Seq<?>> SUBQUERIES = of(QueryPlan.class, "subqueries");
  private static final Function<QueryPlan<?>, Seq<Attribute>> OUTPUT = of(QueryPlan.class, "output");
  private static final Function<QueryPlan<?>, Seq<?>> EXPRESSIONS =
      of(QueryPlan.class, "expressions");
  private static final Function<FileIndex, Seq<?>> ROOT_PATHS = of(FileIndex.class, "rootPaths");
  private static final Function<AliasIdentifier, Seq<String>> QUALIFIER =
      of(AliasIdentifier.class, "qualifier");
  private static final Function<CatalogTable, Seq<String>> PARTITION_COLUMNS =
      of(CatalogTable.class, "partitionColumnNames");
  private static final Function<FileScanRDD, Seq<FilePartition>> FILE_PARTITIONS =
      of(FileScanRDD.class, "filePartitions");
  private static final Function<PartitionDirectory, Seq<FileStatusWithMetadata>> FILES =
      of(PartitionDirectory.class, "files");
  private static final Function<QueryExecution, SparkSession> SESSION =
      of(QueryExecution.class, "sparkSession");

  private SparkReflection() {}

  @SuppressWarnings("unchecked")
  static <T extends TreeNode<T>> Seq<T> children(T node) {
    return (Seq<T>) CHILDREN.apply(node);
  }

  static Seq<?> childrenOf(TreeNode<?> node) {
    return CHILDREN.apply(node);
  }

  static Seq<?> expressions(QueryPlan<?> plan) {
    return EXPRESSIONS.apply(plan);
  }

  static Seq<?> innerChildren(TreeNode<?> node) {
    return INNER.apply(node);
  }

  @SuppressWarnings("unchecked")
  static <T extends QueryPlan<T>> Seq<T> subqueries(T plan) {
    return (Seq<T>) SUBQUERIES.apply(plan);
  }

  static Seq<Attribute> output(QueryPlan<?> plan) {
    return OUTPUT.apply(plan);
  }

  static Seq<?> rootPaths(FileIndex index) {
    return ROOT_PATHS.apply(index);
  }

  static Seq<String> qualifier(AliasIdentifier identifier) {
    return QUALIFIER.apply(identifier);
  }

  static Seq<String> partitionColumns(CatalogTable table) {
    return PARTITION_COLUMNS.apply(table);
  }

  static Seq<FilePartition> filePartitions(FileScanRDD scan) {
    return FILE_PARTITIONS.apply(scan);
  }

  static Seq<FileStatusWithMetadata> files(PartitionDirectory directory) {
    return FILES.apply(directory);
  }

  static SparkSession session(QueryExecution query) {
    return SESSION.apply(query);
  }

  /** Returns the equivalent of `Type::name` for a method whose return type differs between versions. */
  @SuppressWarnings("unchecked")
  private static <T, R> Function<T, R> of(Class<?> type, String name) {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      MethodHandle method = lookup.unreflect(type.getMethod(name));
      MethodType erased = MethodType.methodType(Object.class, Object.class);
      MethodType made = MethodType.methodType(Function.class);
      return (Function<T, R>)
          LambdaMetafactory.metafactory(lookup, "apply", made, erased, method, method.type())
              .getTarget()
              .invoke();
    } catch (Throwable e) {
      throw new IllegalStateException("Spark does not have " + type.getName() + "." + name, e);
    }
  }
}
