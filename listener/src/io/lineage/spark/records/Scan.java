package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.HadoopFsRelation;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

/** A leaf of a plan with the expression that identifies its rows. */
final class Scan {
  /** The names of the columns that {@link #withPosition} adds, and those for sources that have one of the first. */
  private static final List<String> POSITION = Arrays.asList("_file", "_row_index");

  private static final List<String> OTHER_POSITION = Arrays.asList("_lineage_file", "_lineage_row_index");
  static final String ID = "__lineage_id";

  final DatasetName dataset;

  /** The leaf as it is in the query. */
  private final LogicalPlan leaf;

  /** The leaf, with the columns that the id needs. */
  final LogicalPlan plan;

  /** The columns of the leaf itself. */
  final List<Attribute> output;

  /** A bigint, the same whenever the row is read. */
  final Expression id;

  private final Expression file;
  private final Expression rowIndex;

  private Scan(LogicalPlan leaf, RowId row) {
    this.dataset = DatasetName.of(leaf);
    this.leaf = leaf;
    this.plan = row.plan;
    this.output = Catalyst.output(leaf);
    this.id = row.id;
    this.file = row.file;
    this.rowIndex = row.rowIndex;
  }

  static Scan of(LogicalPlan leaf) {
    return new Scan(leaf, RowId.of(leaf));
  }

  /** Returns whether equal rows have the same id. */
  boolean isByContent() {
    return file == null;
  }

  /** Leaves with the same key read one dataset, and give the same id to the same row. */
  List<Object> key() {
    return Arrays.asList(dataset.text, dataset.origin, isByContent() ? columns() : "");
  }

  /** Returns whether another scan with the same key reads the same rows: from the same files, with the same options. */
  boolean readsRowsOf(Scan other) {
    Object own = relation();
    Object others = other.relation();
    if (!(own instanceof HadoopFsRelation && others instanceof HadoopFsRelation) || own == others) {
      return own == others;
    }
    HadoopFsRelation files = (HadoopFsRelation) own;
    HadoopFsRelation otherFiles = (HadoopFsRelation) others;
    boolean isSame = columns().equals(other.columns()) && files.options().equals(otherFiles.options());
    return isSame && paths(files).equals(paths(otherFiles));
  }

  /** Returns the source of a leaf with a name, of which there may be several versions; null for others. */
  private Object relation() {
    boolean isTable = dataset.origin == null && (leaf instanceof LogicalRelation || leaf instanceof DataSourceV2Relation);
    return isTable ? Catalyst.argument(leaf, 0) : null;
  }

  /** Returns how malformed rows are parsed, in upper case, if the hash of the content reads all columns; else nothing. */
  String parseMode() {
    Object mode = null;
    if (leaf instanceof DataSourceV2Relation) {
      mode = ((DataSourceV2Relation) leaf).options().get("mode");
    } else if (relation() instanceof HadoopFsRelation) {
      mode = PlanTrees.option(((HadoopFsRelation) relation()).options(), "mode");
    }
    return mode == null || !isByContent() ? "" : mode.toString().toUpperCase(Locale.ROOT);
  }

  private static Set<String> paths(HadoopFsRelation files) {
    return new HashSet<>(Arrays.asList(files.location().inputFiles()));
  }

  private String columns() {
    StringBuilder columns = new StringBuilder();
    for (Attribute attribute : output) {
      columns.append(attribute.name()).append(' ').append(attribute.dataType().catalogString()).append(',');
    }
    return columns.toString();
  }

  /** Returns the rows with their file and row index, where the source has them, and their id. */
  LogicalPlan withPosition() {
    List<NamedExpression> columns = new ArrayList<>(output);
    if (file != null) {
      boolean isTaken = output.stream().anyMatch(each -> POSITION.contains(each.name().toLowerCase(Locale.ROOT)));
      List<String> names = isTaken ? OTHER_POSITION : POSITION;
      columns.add(Expressions.alias(file, names.get(0)));
      columns.add(Expressions.alias(rowIndex, names.get(1)));
    }
    columns.add(Expressions.alias(id, ID));
    return Catalyst.plan("Project", Seqs.of(columns), plan);
  }

  /** Returns the leaf with those rows only whose id is one of these. */
  LogicalPlan restrictedTo(List<Long> ids) {
    LogicalPlan filter = Catalyst.plan("Filter", Expressions.isOneOf(id, ids), plan);
    return Catalyst.plan("Project", Seqs.of(output), filter);
  }
}
