package io.lineage.spark.records;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.to_json;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Rows as JSON objects, with their nulls. Decimals are texts: readers of JSON take numbers with a fraction for
 * floating-point numbers, which have fewer digits.
 */
public final class JsonRows {
  private JsonRows() {}

  /** Returns the first rows, or all if the limit is negative. */
  public static List<String> of(Dataset<Row> rows, int limit) {
    StructType schema = rows.schema();
    DataType exact = withTexts(schema);
    Column row = exact.equals(schema) ? struct(col("*")) : struct(col("*")).cast(exact);
    Column json = to_json(row, Collections.singletonMap("ignoreNullFields", "false"));
    List<String> texts = new ArrayList<>();
    for (Row each : (limit < 0 ? rows : rows.limit(limit)).select(json).collectAsList()) {
      texts.add(each.getString(0));
    }
    return texts;
  }

  /** Returns the type with texts instead of decimals. */
  private static DataType withTexts(DataType type) {
    if (type instanceof DecimalType) {
      return DataTypes.StringType;
    }
    if (type instanceof ArrayType) {
      ArrayType array = (ArrayType) type;
      return DataTypes.createArrayType(withTexts(array.elementType()), array.containsNull());
    }
    if (type instanceof MapType) {
      MapType map = (MapType) type;
      return DataTypes.createMapType(
          withTexts(map.keyType()), withTexts(map.valueType()), map.valueContainsNull());
    }
    if (type instanceof StructType) {
      List<StructField> fields = new ArrayList<>();
      for (StructField field : ((StructType) type).fields()) {
        fields.add(
            DataTypes.createStructField(
                field.name(), withTexts(field.dataType()), field.nullable(), field.metadata()));
      }
      return DataTypes.createStructType(fields);
    }
    return type;
  }
}
