package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Cast;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.plans.logical.ExposesMetadataColumns;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.CalendarIntervalType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import scala.Option;

/**
 * The identity of the rows of a leaf. It is the hash of file and position where the source has them, and the hash
 * of the content elsewhere.
 */
final class RowId {
  final LogicalPlan plan;
  final Expression id;

  /** Null if the source does not know the position of its rows. */
  final Expression file;

  final Expression rowIndex;

  private RowId(LogicalPlan plan, Expression id, Expression file, Expression rowIndex) {
    this.plan = plan;
    this.id = id;
    this.file = file;
    this.rowIndex = rowIndex;
  }

  static RowId of(LogicalPlan leaf) {
    if (leaf instanceof ExposesMetadataColumns) {
      LogicalPlan exposed = ((ExposesMetadataColumns) leaf).withMetadataColumns();
      RowId row = ofFile(exposed);
      if (row != null) {
        return row;
      }
    }
    return new RowId(leaf, ofContent(Catalyst.output(leaf)), null, null);
  }

  private static RowId ofFile(LogicalPlan exposed) {
    Expression file = null;
    Expression index = null;
    for (Attribute attribute : Catalyst.output(exposed)) {
      if (attribute.name().equals("_metadata") && attribute.dataType() instanceof StructType) {
        file = field(attribute, "file_path");
        index = field(attribute, "row_index");
      } else if (attribute.name().equals("_file")) {
        file = attribute; // Iceberg
      } else if (attribute.name().equals("_pos")) {
        index = attribute;
      }
    }
    boolean isKnown = file != null && index != null;
    return isKnown ? new RowId(exposed, Expressions.call("xxhash64", file, index), file, index) : null;
  }

  private static Expression field(Attribute attribute, String name) {
    int index = Arrays.asList(((StructType) attribute.dataType()).fieldNames()).indexOf(name);
    return index < 0 ? null : new GetStructField(attribute, index, Option.apply(name));
  }

  /**
   * A null leaves the hash unchanged, so that each value is preceded by whether it is null. The JSON of a nested value
   * has its nulls and lengths, and the hash its leaves without rounding.
   */
  private static Expression ofContent(List<Attribute> columns) {
    List<Expression> values = new ArrayList<>();
    for (Attribute column : columns) {
      values.add(Expressions.call("isnull", column));
      values.add(isHashable(column.dataType()) ? column : text(column));
      Expression json = isNested(column.dataType()) ? json(column) : null;
      if (json != null) {
        values.add(json);
      }
    }
    boolean isEmpty = values.isEmpty();
    return isEmpty ? Expressions.literal(0L) : Expressions.call("xxhash64", values.toArray(new Expression[0]));
  }

  /** Returns the value as JSON, or null for types that JSON does not have. */
  private static Expression json(Expression value) {
    Expression options =
        Expressions.call("map", Expressions.literal("ignoreNullFields"), Expressions.literal("false"));
    Expression json = (Expression) Catalyst.call(Expressions.call("to_json", value, options), "withTimeZone", zone());
    return json.checkInputDataTypes().isSuccess() ? json : null;
  }

  private static Expression text(Expression value) {
    return (Cast) Catalyst.expression("Cast", value, DataTypes.StringType, Option.apply(zone()));
  }

  private static String zone() {
    return org.apache.spark.sql.internal.SQLConf.get().sessionLocalTimeZone();
  }

  private static boolean isNested(DataType type) {
    return type instanceof StructType || type instanceof ArrayType || type instanceof MapType;
  }

  private static boolean isHashable(DataType type) {
    return !type.existsRecursively(
        each ->
            each instanceof MapType
                || each instanceof CalendarIntervalType
                || each.typeName().equals("variant"));
  }
}
