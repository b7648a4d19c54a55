package io.lineage.spark;

/** The numbers of root executions of an application, by outcome. */
final class OutcomeCounts {
  private long complete;
  private long failed;
  private boolean any;
  private Failure last;

  /** The number of RDD jobs over files that ended before they were inspected. */
  long unseenJobs;

  /** Counts an execution; the failure is null on success. */
  void add(Failure failure) {
    any = true;
    last = failure;
    if (failure == null) {
      complete++;
    } else {
      failed++;
    }
  }

  void write(Redaction redaction, Json json) {
    if (any) {
      json.key("last").object().field("outcome", last == null ? "COMPLETE" : "FAIL");
      if (last != null) {
        last.write(redaction, json);
      }
      json.endObject();
    }
    if (unseenJobs > 0) {
      json.field("jobsUnseen", unseenJobs);
    }
    json.key("executions").object().field("complete", complete).field("failed", failed).endObject();
  }
}
