package io.lineage.spark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The methods of Spark ML in the stack of whoever began an execution, innermost first, as
 * `org.apache.spark.ml.util.MLWriter.save`: they say whether a model is being fitted, saved or loaded.
 */
final class MlFrames {
  private static final String PACKAGE = "org.apache.spark.ml.";

  private MlFrames() {}

  /** The frames of a call site's long form: a line for each, of the form `class.method(file:line)`. */
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

  /** Is a model being saved? */
  static boolean isSave(List<String> frames) {
    return frames.contains(PACKAGE + "util.MLWriter.save");
  }

  /** Is the part of a model being saved that says what it is? Each model has one. */
  static boolean isSaveOfMetadata(List<String> frames) {
    return isSave(frames) && frames.contains(PACKAGE + "util.DefaultParamsWriter$.saveMetadata");
  }

  /** Writes them where there are some. */
  static void write(List<String> frames, Json json) {
    if (!frames.isEmpty()) {
      json.key("ml").array();
      frames.forEach(json::string);
      json.endArray();
    }
  }
}
