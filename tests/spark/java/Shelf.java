package tests;

import java.util.Map;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A connector without a catalog: {@code spark.read.format("tests.Shelf").load("name")}. */
public final class Shelf implements TableProvider {
  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return ShelfTable.named(options.get("path")).schema();
  }

  @Override
  public Table getTable(StructType schema, Transform[] partitions, Map<String, String> properties) {
    String name = new CaseInsensitiveStringMap(properties).get("path");
    ShelfTable there = ShelfTable.named(name);
    return there != null ? there : ShelfTable.make(name, schema);
  }

  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }
}
