package io.lineage.spark.records;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Few traced rows with all their ids, in the memory of the driver. Most traces are of one row: a single query without
 * a cache answers them.
 */
final class CollectedRows implements TracedRows {
  static final int MAX_ROWS = 10;

  /** The most ids of one source that a row may have: 2 MB. */
  static final int MAX_IDS = 250_000;

  /** More ids are joined; fewer are written into the condition. */
  private static final int MAX_IN_CONDITION = 1_000;

  private final Dataset<Row> rows;
  private final int rowCount;

  /** The distinct ids by column, and by source. */
  private final Map<Integer, long[]> ofColumns;

  private final Map<Integer, long[]> ofSources = new LinkedHashMap<>();

  private CollectedRows(Dataset<Row> rows, int rowCount, Map<Integer, long[]> ids, Annotated annotated) {
    this.rows = rows;
    this.rowCount = rowCount;
    this.ofColumns = ids;
    for (int index = 0; index < annotated.columns().size(); index++) {
      long[] some = ids.get(annotated.columns().get(index));
      if (some != null) {
        ofSources.merge(annotated.sources().get(index), some, CollectedRows::union);
      }
    }
  }

  private static long[] union(long[] some, long[] others) {
    return LongStream.concat(Arrays.stream(some), Arrays.stream(others)).distinct().toArray();
  }

  /** Returns rows of an annotated frame, or null if they or their ids are too many. */
  static CollectedRows of(Annotated annotated, Dataset<Row> chosen) {
    List<Integer> columns = annotated.columns();
    LocalRows found = LocalRows.collect(bounded(chosen, columns));
    if (found.rows.length > MAX_ROWS) {
      return null;
    }
    int width = found.output.size() - columns.size();
    Map<Integer, long[]> ids = new LinkedHashMap<>();
    for (int index = 0; index < columns.size(); index++) {
      long[] all = new long[0];
      for (InternalRow row : found.rows) {
        if (row.isNullAt(width + index)) {
          return null;
        }
        all = union(all, row.getArray(width + index).toLongArray());
      }
      if (all.length > 0) {
        ids.put(columns.get(index), all);
      }
    }
    Dataset<Row> rows = found.frame(chosen.sparkSession(), found.rows.length);
    return new CollectedRows(Annotated.withoutPayload(rows, columns), found.rows.length, ids, annotated);
  }

  /** Replaces lists that are too long by null. */
  private static Dataset<Row> bounded(Dataset<Row> annotated, List<Integer> columns) {
    Map<String, Column> lists = new LinkedHashMap<>();
    for (Integer column : columns) {
      String name = Annotated.name(column);
      lists.put(name, expr("CASE WHEN size(" + name + ") <= " + MAX_IDS + " THEN " + name + " END"));
    }
    return annotated.withColumns(lists).limit(MAX_ROWS + 1);
  }

  @Override
  public Dataset<Row> rows() {
    return rows;
  }

  @Override
  public long rowCount() {
    return rowCount;
  }

  @Override
  public Map<Integer, Long> counts() {
    Map<Integer, Long> counts = new LinkedHashMap<>();
    ofSources.forEach((source, each) -> counts.put(source, (long) each.length));
    return counts;
  }

  @Override
  public List<Row> ids(int limit) {
    List<Row> result = new ArrayList<>();
    ofSources.forEach(
        (source, each) -> Arrays.stream(each).sorted().forEach(id -> result.add(RowFactory.create(source, id))));
    return limit < 0 || limit >= result.size() ? result : result.subList(0, limit);
  }

  @Override
  public Map<Integer, List<Long>> idsOfColumns() {
    Map<Integer, List<Long>> ids = new LinkedHashMap<>();
    ofColumns.forEach((column, each) -> ids.put(column, Arrays.stream(each).boxed().collect(Collectors.toList())));
    return ids;
  }

  /**
   * The ids are in the order in which the query read the rows, for the most part. The first ones are found early, and a
   * limit ends the scan then.
   */
  @Override
  public Dataset<Row> witnesses(int source, Dataset<Row> candidates, int limit, boolean isUnique) {
    LongStream all = Arrays.stream(ofSources.getOrDefault(source, new long[0]));
    List<Long> wanted = (limit < 0 ? all : all.limit(limit)).boxed().collect(Collectors.toList());
    if (wanted.size() <= MAX_IN_CONDITION) {
      Dataset<Row> found = candidates.filter(col(Scan.ID).isin(wanted.toArray()));
      return isUnique ? found.limit(wanted.size()) : found;
    }
    Dataset<Row> others = candidates.sparkSession().createDataset(wanted, Encoders.LONG()).toDF(Scan.ID);
    return candidates.join(others, new String[] {Scan.ID}, "left_semi");
  }

  @Override
  public void close() {}
}
