package io.lineage.spark;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The origins of an application's Spark ML models: the encoded plans whose rows were read while models were
 * fitted and loaded. Used only on the encoder's thread, which processes events in order.
 */
final class Models {
  private static final int MAX_ORIGINS = 200;
  private static final int MAX_BYTES = 512 * 1024;
  private static final int MAX_VALUES = 50;
  private static final String PACKAGE = "org.apache.spark.ml.";

  private final DroppedDocuments drops;
  private final List<Origin> origins = new ArrayList<>();
  private final Set<String> known = new HashSet<>();
  private int size;
  private boolean incomplete;

  /** A plan that was read, and the methods of Spark ML that read it. */
  private static final class Origin {
    final List<String> frames;
    final byte[] plan;

    Origin(List<String> frames, byte[] plan) {
      this.frames = frames;
      this.plan = plan;
    }
  }

  Models(DroppedDocuments drops) {
    this.drops = drops;
  }

  /** Returns whether these methods fit or load a model; saving does neither. */
  static boolean concern(List<String> frames) {
    boolean makes = false;
    for (String frame : frames) {
      makes |= frame.endsWith(".fit") || frame.endsWith("Reader.load") || frame.contains(".DefaultParamsReader");
    }
    return makes && !MlFrames.isSave(frames);
  }

  /** Records a plan whose rows these methods have read. */
  void read(List<String> frames, byte[] plan, boolean isWhole) {
    // Spark assigns new ids to equal plans
    String text = frames + new String(plan, StandardCharsets.UTF_8).replaceAll("\"id\":\\d+", "");
    if (!known.add(text)) {
      return;
    }
    if (!isWhole || origins.size() == MAX_ORIGINS || size + text.length() > MAX_BYTES) {
      incomplete = true;
      known.remove(text);
      return;
    }
    size += text.length();
    origins.add(new Origin(frames, plan));
  }

  /** Writes all possible origins of models. */
  void write(Json json) {
    json.key("models").object().key("origins").array();
    for (Origin origin : origins) {
      json.object();
      MlFrames.write(origin.frames, json);
      json.key("plan").raw(origin.plan).endObject();
    }
    json.endArray().key("complete").bool(!incomplete && drops.total() == 0).endObject();
  }

  /** Writes the class of the model that a function applies and, if known, whether this driver fitted it. */
  static boolean writeUse(Object function, Json entry) {
    String type = function.getClass().getName();
    if (!type.startsWith(PACKAGE)) {
      return false;
    }
    Object model = held(function);
    if (model == null && !isModel(simple(type))) {
      return false;
    }
    entry.field("model", simple(model == null ? type : model.getClass().getName()));
    if (model != null && hasParent(model.getClass())) {
      entry.key("fitted").bool(SparkFacts.held(model, "parent") != null); // a loaded model has no estimator
    }
    return true;
  }

  /** Returns a model captured by a function or by a function that it captured; null if there is none. */
  private static Object held(Object function) {
    Deque<Object> pending = new ArrayDeque<>(RddJob.captured(function));
    for (int seen = 0; !pending.isEmpty() && seen < MAX_VALUES; seen++) {
      Object next = pending.poll();
      String type = next.getClass().getName();
      if (!type.startsWith(PACKAGE)) {
        continue;
      }
      if (type.contains("$")) {
        pending.addAll(RddJob.captured(next));
      } else if (isModel(simple(type))) {
        return next;
      }
    }
    return null;
  }

  private static boolean hasParent(Class<?> type) {
    return type != null && (type.getName().equals(PACKAGE + "Model") || hasParent(type.getSuperclass()));
  }

  private static boolean isModel(String name) {
    return name != null && (name.endsWith("Model") || name.equals("Bucketizer"));
  }

  private static String simple(String type) {
    String outer = type.split("\\$", 2)[0];
    return outer.substring(outer.lastIndexOf('.') + 1);
  }
}
