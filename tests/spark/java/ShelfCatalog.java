package tests;

import java.util.Map;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** A catalog of {@link ShelfTable}s, with the methods that Spark requires. */
public final class ShelfCatalog implements TableCatalog {
  private String name;

  @Override
  public void initialize(String name, CaseInsensitiveStringMap options) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Identifier[] listTables(String[] namespace) {
    return new Identifier[0];
  }

  @Override
  public Table loadTable(Identifier table) throws NoSuchTableException {
    ShelfTable found = ShelfTable.named(table.toString());
    if (found == null) {
      throw new NoSuchTableException(table);
    }
    return found;
  }

  @Override
  public Table createTable(
      Identifier table, StructType schema, Transform[] partitions, Map<String, String> properties) {
    return ShelfTable.make(table.toString(), schema);
  }

  @Override
  public Table alterTable(Identifier table, TableChange... changes) throws NoSuchTableException {
    return loadTable(table);
  }

  @Override
  public boolean dropTable(Identifier table) {
    return ShelfTable.drop(table.toString()) != null;
  }

  @Override
  public void renameTable(Identifier old, Identifier renamed) {
    ShelfTable moved = ShelfTable.drop(old.toString());
    ShelfTable.make(renamed.toString(), moved.schema()).adopt(moved);
  }
}
