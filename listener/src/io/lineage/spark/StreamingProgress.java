package io.lineage.spark;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.streaming.SourceProgress;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/** The accumulated reads and writes of a streaming query, over all its micro-batches. */
final class StreamingProgress {
  private static final int MAX_TOPICS = 1_000;

  /** A topic in the offsets of Kafka's source: {"orders":{"0":12,"1":7}}. */
  private static final Pattern TOPIC = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)++)\"\\s*:\\s*\\{");

  private final List<Source> sources = new ArrayList<>();
  private long batches;
  private long rowsWritten = -1;

  private static final class Source {
    final String description;
    final Set<String> topics = new LinkedHashSet<>();
    long rows;

    Source(String description) {
      this.description = description;
    }
  }

  void batchDone() {
    batches++;
  }

  /** Adds one micro-batch. Returns whether a source has read from a topic for the first time. */
  boolean add(StreamingQueryProgress progress) {
    boolean isNew = false;
    SourceProgress[] reported = progress.sources();
    for (int i = 0; i < reported.length; i++) {
      if (i == sources.size()) {
        sources.add(new Source(reported[i].description()));
      }
      Source source = sources.get(i);
      source.rows += Math.max(0, reported[i].numInputRows());
      isNew |= source.description.startsWith("Kafka") && addTopics(source, reported[i].endOffset());
    }
    long written = progress.sink().numOutputRows(); // negative if the sink does not count rows
    if (written >= 0) {
      rowsWritten = Math.max(0, rowsWritten) + written;
    }
    return isNew;
  }

  private static boolean addTopics(Source source, String offsets) {
    boolean isNew = false;
    Matcher topic = TOPIC.matcher(offsets == null ? "" : offsets);
    while (topic.find() && source.topics.size() < MAX_TOPICS) {
      isNew |= source.topics.add(topic.group(1));
    }
    return isNew;
  }

  byte[] toJson(Redaction redaction) {
    Json json = new Json().object().field("batches", batches).key("sources").array();
    for (Source source : sources) {
      json.object().field("description", redaction.text(source.description));
      json.field("rows", source.rows);
      if (!source.topics.isEmpty()) {
        json.key("topics").array();
        source.topics.forEach(json::string);
        json.endArray();
      }
      json.endObject();
    }
    json.endArray();
    if (rowsWritten >= 0) {
      json.field("rowsWritten", rowsWritten);
    }
    return json.endObject().toBytes();
  }
}
