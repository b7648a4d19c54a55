package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** A query with provenance columns. */
public final class Annotated {
  private final Dataset<Row> frame;
  private final List<String> labels;
  private final List<Integer> columns;
  private final List<Integer> sources = new ArrayList<>();

  Annotated(Dataset<Row> frame, List<String> labels, Collection<Integer> columns, Payload payload) {
    this.frame = frame;
    this.labels = labels;
    this.columns = new ArrayList<>(columns);
    columns.forEach(column -> sources.add(payload.sourceOf(column)));
  }

  /** Returns the columns of the query, followed by those of the payload, named `__lineage_` and their number. */
  public Dataset<Row> frame() {
    return frame;
  }

  /** Returns the limits of the meaning of the ids, each as its effect, a space, and the label. */
  public List<String> labels() {
    return labels;
  }

  /** Returns the numbers of the columns of the payload. */
  public List<Integer> columns() {
    return columns;
  }

  /** Returns the number of the source of each column's rows. */
  public List<Integer> sources() {
    return sources;
  }

  static String name(int column) {
    return "__lineage_" + column;
  }

  /** Returns rows of an annotated frame without the columns of the payload. */
  static Dataset<Row> withoutPayload(Dataset<Row> rows, List<Integer> columns) {
    return rows.drop(columns.stream().map(Annotated::name).toArray(String[]::new));
  }
}
