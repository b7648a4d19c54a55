package io.lineage.spark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The methods of Spark ML on the stack that started an execution, innermost first, such as
 * `org.apache.spark.ml.util.MLWriter.save`. They show whether a model is being fitted, saved or loaded.
 */
final class MlFrames {
  private static final String PACKAGE = "org.apache.spark.ml.";

  private MlFrames() {}

  /** Returns the methods of Spark ML in a call site's long form: lines `class.method(file:line)`. */
  static List<String> of(String stack) {
    if (stack == null || !stack.contains(PACKAGE)) {
      return Collections.emptyList();
    }
    List<String> frames = new ArrayList<>();
    for (String line : stack.split("\n")) {
      String frame = line.trim();
      int end = frame.indexOf('(');
      if (frame.startsWith(PACKAGE) && end > 0) {
        frames.add(frame.substring(0, end));
      }
    }
    return frames;
  }

  /** Returns whether a model is being saved. */
  static boolean isSave(List<String> frames) {
    return frames.contains(PACKAGE + "util.MLWriter.save");
  }

  /** Returns whether the metadata of a model are being saved, which happens once for each model. */
  static boolean isSaveOfMetadata(List<String> frames) {
    return isSave(frames) && frames.contains(PACKAGE + "util.DefaultParamsWriter$.saveMetadata");
  }

  /** Writes the frames, if there are any. */
  static void write(List<String> frames, Json json) {
    if (!frames.isEmpty()) {
      json.key("ml").array();
      frames.forEach(json::string);
      json.endArray();
    }
  }
}
