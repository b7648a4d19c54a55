package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * The rows of a query that match a condition, with the ids of the rows that they are made of. The condition is a
 * filter above the provenance columns; Spark pushes it down to the sources as far as that is right.
 */
public final class Trace implements AutoCloseable {
  /** A trace of more rows, or of rows that are made of more rows, is not checked unless this is asked for. */
  private static final long MAX_CHECKED_ROWS = 1_000;

  private static final long MAX_CHECKED_IDS = 250_000;

  private final RecordPlan plan;
  private final ListPayload payload;
  private final Annotated annotated;
  private final Choice choice;
  private final TracedRows traced;
  private final List<String> labels;

  private Trace(RecordPlan plan, ListPayload payload, Annotated annotated, Choice choice) {
    this.plan = plan;
    this.payload = payload;
    this.annotated = annotated;
    this.choice = choice;
    Dataset<Row> rows = choice.of(annotated.frame());
    Labels times = new Labels();
    plan.time.label(times, Catalyst.execution(rows).analyzed());
    this.labels = new ArrayList<>(annotated.labels());
    this.labels.addAll(times.lines());
    TracedRows few = CollectedRows.of(annotated, rows);
    this.traced = few == null ? new CachedRows(annotated, rows) : few;
  }

  /** A choice of the rows to trace, made on the query with provenance columns. */
  public interface Choice {
    Dataset<Row> of(Dataset<Row> rows);
  }

  /** Traces the chosen rows. See {@link RecordPlan#list} for {@code isPeeled}. */
  static Trace of(RecordPlan plan, Choice choice, boolean isPeeled) {
    ListPayload payload = new ListPayload();
    return new Trace(plan, payload, plan.annotate(payload, isPeeled), choice);
  }

  public List<String> labels() {
    return labels;
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
    boolean isUnique = !plan.sources.isByContent(source);
    return traced.witnesses(source, plan.source(source), limit, isUnique).drop(Scan.ID);
  }

  /** Returns at most this many ids, as pairs of source and id in a stable order. */
  public List<Row> ids(int limit) {
    return traced.ids(limit);
  }

  /**
   * Returns whether the traced rows come again from the named rows alone, or null if there are too many of them, or if
   * no result could make the ids certain.
   */
  public Boolean verify() {
    long ids = counts().values().stream().mapToLong(Long::longValue).sum();
    boolean isSmall = rowCount() <= MAX_CHECKED_ROWS && ids <= MAX_CHECKED_IDS;
    boolean isHopeless = labels.stream().anyMatch(Labels::isMissingRows);
    return rowCount() == 0 || !isSmall || isHopeless ? null : comesAgain();
  }

  /** Runs the query on the named rows alone, and returns whether the traced rows come again. */
  public boolean comesAgain() {
    return comesAgain(traced.idsOfColumns());
  }

  /** Does so without one of the named rows. */
  public boolean comesAgainWithout(int source, long id) {
    Map<Integer, List<Long>> ids = traced.idsOfColumns();
    ids.forEach(
        (column, each) -> {
          if (payload.sourceOf(column) == source) {
            each.remove((Long) id);
          }
        });
    return comesAgain(ids);
  }

  private boolean comesAgain(Map<Integer, List<Long>> ids) {
    Dataset<Row> again = choice.of(plan.restrictedTo(payload.scans, ids));
    return SameRows.contain(again.collectAsList(), rows().collectAsList());
  }

  @Override
  public void close() {
    traced.close();
  }
}
