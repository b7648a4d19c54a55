package io.lineage.spark.records;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** The traced rows of a query and the ids of the rows that they are made of, read once. */
interface TracedRows {
  /** Returns the rows with the columns of the query. */
  Dataset<Row> rows();

  long rowCount();

  /** Returns the number of distinct rows of each source that has any, by its number. */
  Map<Integer, Long> counts();

  /** Returns pairs of source and id in ascending order, at most this many or all if the limit is negative. */
  List<Row> ids(int limit);

  /** Returns the distinct ids of each column that has any. */
  Map<Integer, List<Long>> idsOfColumns();

  /**
   * Returns those of the candidates, rows of a source with their id, that have one of so many of its ids.
   *
   * @param isUnique whether no two candidates have the same id
   */
  Dataset<Row> witnesses(int source, Dataset<Row> candidates, int limit, boolean isUnique);

  void close();
}
