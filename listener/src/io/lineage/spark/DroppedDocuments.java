package io.lineage.spark;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Numbers of lost documents, by reason. */
final class DroppedDocuments {
  enum Reason {
    /** More executions ended at once than the queue of plans holds. */
    QUEUE,
    /** More bytes were queued for delivery than the queue of documents holds. */
    BYTES,
    /** More bytes waited on disk for the collector than the quota allows. */
    UNSENT,
    /** The spool could not be written until the end of the application. */
    SPOOL,
    /** An error in the listener itself. */
    ERROR
  }

  private final Map<Reason, AtomicLong> counts = new EnumMap<>(Reason.class);

  DroppedDocuments() {
    for (Reason reason : Reason.values()) {
      counts.put(reason, new AtomicLong());
    }
  }

  void count(Reason reason) {
    counts.get(reason).incrementAndGet();
  }

  long total() {
    return counts.values().stream().mapToLong(AtomicLong::get).sum();
  }

  void write(Json json) {
    json.key("dropped").object();
    counts.forEach(
        (reason, count) -> {
          if (count.get() > 0) {
            json.field(reason.name().toLowerCase(), count.get());
          }
        });
    json.endObject();
  }
}
