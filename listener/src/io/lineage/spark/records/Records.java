package io.lineage.spark.records;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The entry points for Python, which creates this object by the class loader of the jar. */
public final class Records {
  public RecordPlan plan(Dataset<?> frame) {
    return RecordPlan.of(frame);
  }

  /** Returns the inputs of a frame, compared with those of a run in the form of {@link StoredManifests}. */
  public Inputs inputs(Dataset<?> frame, String manifests) throws IOException {
    StoredManifests stored = StoredManifests.of(new ObjectMapper().readTree(manifests));
    return Inputs.of(frame.sparkSession(), Catalyst.execution(frame).analyzed(), stored, Collections.emptyList());
  }

  /** See {@link Inputs#changedSinceCached}. */
  public List<String> changedSinceCached(Dataset<?> frame) throws IOException {
    return Inputs.changedSinceCached(frame);
  }

  public Trace trace(RecordPlan plan, Column where, boolean isPeeled) {
    return Trace.of(plan, plan.where(where), isPeeled);
  }

  public Followed follow(RecordPlan plan, int source, Column where) {
    return new Followed(plan, source, where);
  }

  /** See {@link JsonRows}. */
  public List<String> json(Dataset<Row> rows, int limit) {
    return JsonRows.of(rows, limit);
  }

  /** See {@link Tap}. */
  public Tap tap(RecordPlan plan, long threshold, long salt, int capacity) {
    return new Tap(plan, threshold, salt, capacity);
  }

  /** Collects the operators of the queries that a session finishes from now on. */
  public QueryOperators queryOperators(SparkSession session) {
    return new QueryOperators(session);
  }
}
