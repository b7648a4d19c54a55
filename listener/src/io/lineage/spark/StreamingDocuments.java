package io.lineage.spark;

import java.util.List;

/** The plan documents of streaming queries, as docs/reference/plan-document.md specifies. */
final class StreamingDocuments {
  private final Documents documents;
  private final Plans plans;
  private final Redaction redaction;

  StreamingDocuments(Documents documents, Plans plans, Redaction redaction) {
    this.documents = documents;
    this.plans = plans;
    this.redaction = redaction;
  }

  Document start(StreamingQuery query) {
    Part part = part(query);
    return (json, withPlans) -> {
      part.open("query_start", query.started, withPlans, json);
      json.endObject();
    };
  }

  /**
   * Returns the document of a micro-batch. It is empty unless the batch is the first one, or its plans differ
   * from those of all earlier batches.
   */
  Document batch(StreamingQuery query, ExecutionEnd end, List<Execution.Run> nested, boolean isFirst) {
    Part part = part(query);
    int lost = end.execution.nestedLost;
    return (json, withPlans) -> {
      boolean isNew = !nested.isEmpty() && query.isNew(nested, plans);
      if (!isNew && !isFirst) {
        return;
      }
      part.open("query_progress", end.time, withPlans, json);
      part.nested(isNew ? query.lastNested() : null, json);
      if (lost > 0) {
        json.field("nestedLost", lost);
      }
      json.endObject();
    };
  }

  Document progress(StreamingQuery query, long time) {
    Part part = part(query);
    return (json, withPlans) -> {
      part.open("query_progress", time, withPlans, json);
      part.nested(query.lastNested(), json);
      json.endObject();
    };
  }

  Document end(StreamingQuery query, long time, String outcome, Failure failure) {
    Part part = part(query);
    return (json, withPlans) -> {
      part.open("query_end", time, withPlans, json);
      part.nested(query.lastNested(), json);
      json.field("outcome", outcome);
      if (failure != null) {
        failure.write(redaction, json);
      }
      json.endObject();
    };
  }

  private Part part(StreamingQuery query) {
    return new Part(query, query.progress.toJson(redaction), query.planReported);
  }

  /** The common fields of a query's documents, with their values at creation on the bus. */
  private final class Part {
    private final StreamingQuery query;
    private final byte[] progress;
    private final boolean planReported;

    Part(StreamingQuery query, byte[] progress, boolean planReported) {
      this.query = query;
      this.progress = progress;
      this.planReported = planReported;
    }

    void open(String kind, long time, boolean withPlans, Json json) {
      documents.envelope(kind, time, query.sessionSettings, json);
      query.write(redaction, json);
      json.key("started").object().field("time", query.started);
      json.key("plan").bool(planReported).endObject();
      json.key("progress").raw(progress);
      byte[] plan = withPlans ? query.plan(plans) : null;
      if (plan != null) {
        json.key("plan").raw(plan);
      }
    }

    void nested(byte[] nested, Json json) {
      if (nested != null) {
        json.key("nested").raw(nested);
      }
    }
  }
}
