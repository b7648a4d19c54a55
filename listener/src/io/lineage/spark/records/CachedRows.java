package io.lineage.spark.records;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Traced rows in the cache of Spark, however many they are. */
final class CachedRows implements TracedRows {
  private static final String SOURCE = "source";
  private static final String ID = "id";

  private final Dataset<Row> annotated;
  private final Dataset<Row> rows;
  private final Dataset<Row> ids;

  CachedRows(Dataset<Row> annotated, List<Integer> columns) {
    this.annotated = annotated.persist();
    this.rows = Annotated.withoutPayload(annotated, columns);
    this.ids = ids(annotated, columns).persist();
  }

  private static Dataset<Row> ids(Dataset<Row> rows, List<Integer> columns) {
    List<String> items = new ArrayList<>();
    for (Integer column : columns) {
      String item = "named_struct('" + SOURCE + "', " + column + ", '" + ID + "', x)";
      items.add("transform(" + Annotated.name(column) + ", x -> " + item + ")");
    }
    String none = "cast(array() as array<struct<source: int, id: bigint>>)";
    String all = items.isEmpty() ? none : "concat(" + String.join(", ", items) + ")";
    return rows.select(expr("explode(" + all + ") as item"))
        .select(col("item." + SOURCE), col("item." + ID))
        .distinct();
  }

  @Override
  public Dataset<Row> rows() {
    return rows;
  }

  @Override
  public long rowCount() {
    return annotated.count();
  }

  @Override
  public Map<Integer, Long> counts() {
    Map<Integer, Long> counts = new LinkedHashMap<>();
    for (Row row : ids.groupBy(SOURCE).count().orderBy(SOURCE).collectAsList()) {
      counts.put(row.getInt(0), row.getLong(1));
    }
    return counts;
  }

  @Override
  public List<Row> ids(int limit) {
    Dataset<Row> ordered = ids.orderBy(col(SOURCE), col(ID));
    return (limit < 0 ? ordered : ordered.limit(limit)).collectAsList();
  }

  @Override
  public Dataset<Row> witnesses(int source, Dataset<Row> candidates, int limit, boolean isUnique) {
    Dataset<Row> wanted = ids.filter(col(SOURCE).equalTo(source)).select(col(ID).as(Scan.ID));
    Dataset<Row> chosen = limit < 0 ? wanted : wanted.limit(limit);
    return candidates.join(chosen, new String[] {Scan.ID}, "left_semi");
  }

  @Override
  public void close() {
    ids.unpersist();
    annotated.unpersist();
  }
}
