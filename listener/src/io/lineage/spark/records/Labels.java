package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Limits of the meaning of the ids that a rewritten plan carries, each once, with its effect. */
final class Labels {
  /** The effect on the rows that a trace names. */
  enum Effect {
    /** They are the contributing rows. */
    EXACT,
    /** They include the contributing rows, and possibly others. */
    SUPERSET,
    /** They are some of the contributing rows. */
    SAMPLED,
    /** They may lack contributing rows, or the traced row may not come again. */
    UNKNOWN
  }

  private final Map<String, Effect> effects = new LinkedHashMap<>();

  void add(Effect effect, String kind, String detail) {
    effects.merge(kind + ":" + detail, effect, (one, other) -> one.compareTo(other) > 0 ? one : other);
  }

  /** Returns whether a line is a label of rows that are not known, rather than of an execution that may not come again. */
  static boolean isMissingRows(String line) {
    return line.startsWith("unknown ") && !line.matches("unknown (nondeterministic|position):.*");
  }

  /** Returns each label as its effect, a space and the label. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    effects.forEach((label, effect) -> lines.add(effect.name().toLowerCase(java.util.Locale.ROOT) + " " + label));
    return lines;
  }
}
