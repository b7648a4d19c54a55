package io.lineage.spark.records;

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
  private final RecordPlan plan;
  private final Annotated annotated;
  private final TracedRows traced;

  private Trace(RecordPlan plan, Annotated annotated, Dataset<Row> rows) {
    this.plan = plan;
    this.annotated = annotated;
    TracedRows few = CollectedRows.of(rows, annotated.columns());
    this.traced = few == null ? new CachedRows(rows, annotated.columns()) : few;
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

  public List<String> labels() {
    return annotated.labels();
  }

  /** Returns the traced rows, as the query returns them. */
  public Dataset<Row> rows() {
    return traced.rows();
  }

  public long rowCount() {
    return traced.rowCount();
  }

  /** Returns the number of distinct rows of each source, by its number. */
  public Map<Integer, Long> counts() {
    return traced.counts();
  }

  /** Returns rows of a source, as it has them, with their file and row index where these are known. */
  public Dataset<Row> witnesses(int source, int limit) {
    boolean isUnique = !plan.sources.scans().get(source).isByContent();
    return traced.witnesses(source, plan.source(source), limit, isUnique).drop(Scan.ID);
  }

  /** Returns at most this many ids, as pairs of source and id in a stable order. */
  public List<Row> ids(int limit) {
    return traced.ids(limit);
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
    traced.close();
  }
}
