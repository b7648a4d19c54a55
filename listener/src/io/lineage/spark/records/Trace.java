package io.lineage.spark.records;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * The rows of a query that match a condition, with the ids of the rows that they are made of. The condition is a
 * filter above the provenance columns; Spark pushes it down to the sources as far as that is right.
 */
public final class Trace implements AutoCloseable {
  private static final String SOURCE = "source";
  private static final String ID = "id";

  private final RecordPlan plan;
  private final Annotated annotated;
  private final Dataset<Row> rows;
  private final Dataset<Row> ids;

  private Trace(RecordPlan plan, Annotated annotated, Dataset<Row> rows) {
    this.plan = plan;
    this.annotated = annotated;
    this.rows = rows.persist();
    this.ids = ids(this.rows, annotated.columns()).persist();
  }

  /** A choice of the rows to trace, made on the query with provenance columns. */
  public interface Choice {
    Dataset<Row> of(Dataset<Row> rows);
  }

  /** Traces the chosen rows. See {@link RecordPlan#list} for {@code isPeeled}. */
  static Trace of(RecordPlan plan, Choice choice, boolean isPeeled) {
    Annotated annotated = plan.list(isPeeled);
    return new Trace(plan, annotated, choice.of(annotated.frame()));
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

  public List<String> labels() {
    return annotated.labels();
  }

  /** Returns the traced rows, as the query returns them. */
  public Dataset<Row> rows() {
    List<String> hidden = new ArrayList<>();
    annotated.columns().forEach(column -> hidden.add(Annotated.name(column)));
    return rows.drop(hidden.toArray(new String[0]));
  }

  public long rowCount() {
    return rows.count();
  }

  /** Returns the number of distinct rows of each source, by its number. */
  public Map<Integer, Long> counts() {
    Map<Integer, Long> counts = new LinkedHashMap<>();
    for (Row row : ids.groupBy(SOURCE).count().orderBy(SOURCE).collectAsList()) {
      counts.put(row.getInt(0), row.getLong(1));
    }
    return counts;
  }

  /** Returns rows of a source, as it has them, with their file and row index where these are known. */
  public Dataset<Row> witnesses(int source, int limit) {
    Dataset<Row> wanted = ids.filter(col(SOURCE).equalTo(source)).select(col(ID).as(Scan.ID));
    Dataset<Row> chosen = limit < 0 ? wanted : wanted.limit(limit);
    return plan.source(source).join(chosen, new String[] {Scan.ID}, "left_semi").drop(Scan.ID);
  }

  /** Returns at most this many ids, as pairs of source and id in a stable order. */
  public List<Row> ids(int limit) {
    Dataset<Row> ordered = ids.orderBy(col(SOURCE), col(ID));
    return (limit < 0 ? ordered : ordered.limit(limit)).collectAsList();
  }

  /** Returns the query on the traced rows of its sources alone, but for one of them. */
  public Dataset<Row> restricted(Integer withoutSource, Long withoutId) {
    Map<Integer, List<Long>> kept = new LinkedHashMap<>();
    for (Row row : ids(-1)) {
      int source = row.getInt(0);
      long id = row.getLong(1);
      boolean isWithout = withoutSource != null && withoutSource == source && withoutId == id;
      if (!isWithout) {
        kept.computeIfAbsent(source, each -> new ArrayList<>()).add(id);
      }
    }
    return plan.restrictedTo(kept);
  }

  @Override
  public void close() {
    ids.unpersist();
    rows.unpersist();
  }
}
