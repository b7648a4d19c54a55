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
  private static final String COLUMN = "column";
  private static final String SOURCE = "source";
  private static final String ID = "id";

  private final Dataset<Row> annotated;
  private final Dataset<Row> rows;
  private final Dataset<Row> ids;

  CachedRows(Annotated annotated, Dataset<Row> chosen) {
    this.annotated = chosen.persist();
    this.rows = Annotated.withoutPayload(chosen, annotated.columns());
    this.ids = ids(annotated, chosen).persist();
  }

  /** Returns the distinct ids of each column, with their source. */
  private static Dataset<Row> ids(Annotated annotated, Dataset<Row> rows) {
    List<String> items = new ArrayList<>();
    for (int index = 0; index < annotated.columns().size(); index++) {
      int column = annotated.columns().get(index);
      int source = annotated.sources().get(index);
      String item = String.format("named_struct('%s', %d, '%s', %d, '%s', x)", COLUMN, column, SOURCE, source, ID);
      items.add("transform(" + Annotated.name(column) + ", x -> " + item + ")");
    }
    String none = "cast(array() as array<struct<column: int, source: int, id: bigint>>)";
    String all = items.isEmpty() ? none : "concat(" + String.join(", ", items) + ")";
    return rows.select(expr("explode(" + all + ") as item"))
        .select(col("item." + COLUMN), col("item." + SOURCE), col("item." + ID))
        .distinct();
  }

  /** Returns the distinct pairs of source and id. */
  private Dataset<Row> pairs() {
    return ids.select(SOURCE, ID).distinct();
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
    for (Row row : pairs().groupBy(SOURCE).count().orderBy(SOURCE).collectAsList()) {
      counts.put(row.getInt(0), row.getLong(1));
    }
    return counts;
  }

  @Override
  public List<Row> ids(int limit) {
    Dataset<Row> ordered = pairs().orderBy(col(SOURCE), col(ID));
    return (limit < 0 ? ordered : ordered.limit(limit)).collectAsList();
  }

  @Override
  public Map<Integer, List<Long>> idsOfColumns() {
    Map<Integer, List<Long>> result = new LinkedHashMap<>();
    for (Row row : ids.select(COLUMN, ID).collectAsList()) {
      result.computeIfAbsent(row.getInt(0), each -> new ArrayList<>()).add(row.getLong(1));
    }
    return result;
  }

  @Override
  public Dataset<Row> witnesses(int source, Dataset<Row> candidates, int limit, boolean isUnique) {
    Dataset<Row> wanted = pairs().filter(col(SOURCE).equalTo(source)).select(col(ID).as(Scan.ID));
    Dataset<Row> chosen = limit < 0 ? wanted : wanted.limit(limit);
    return candidates.join(chosen, new String[] {Scan.ID}, "left_semi");
  }

  @Override
  public void close() {
    ids.unpersist();
    annotated.unpersist();
  }
}
