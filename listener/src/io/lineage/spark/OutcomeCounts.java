package io.lineage.spark;

/** How the root executions of an application ended. */
final class OutcomeCounts {
  private long complete;
  private long failed;
  private boolean any;
  private Failure last;

  /** How many jobs of RDDs over files nobody knows more of. */
  long unseenJobs;

  /** Counts one; the failure is null where it went well. */
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
