package io.lineage.spark;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** The numbers of lost documents, by reason. */
final class DroppedDocuments {
  enum Reason {
    /** The queue of plans was full, because many executions ended at once. */
    QUEUE,
    /** The queue of documents had reached its limit of bytes. */
    BYTES,
    /** The unsent documents on disk exceeded their quota. */
    UNSENT,
    /** The spool could not be written until the end of the application. */
    SPOOL,
    /** The listener itself had an error. */
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
