package io.lineage.spark.records;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;

/** The entry points for Python, which creates this object by the class loader of the jar. */
public final class Records {
  public RecordPlan plan(Dataset<?> frame) {
    return RecordPlan.of(frame);
  }

  /** Returns the inputs of a frame, compared with the manifests of a run as a JSON array. */
  public Inputs inputs(Dataset<?> frame, String manifests) throws IOException {
    JsonNode before = new ObjectMapper().readTree(manifests);
    return Inputs.of(frame.sparkSession(), Catalyst.execution(frame).analyzed(), before);
  }

  public Trace trace(RecordPlan plan, Column where, boolean isPeeled) {
    return Trace.of(plan, plan.where(where), isPeeled);
  }

  public Followed follow(RecordPlan plan, int source, Column where) {
    return new Followed(plan, source, where);
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
