package io.lineage.spark;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import scala.Option;
import scala.collection.Iterator;
import scala.collection.Seq;

/** Text arguments of operators whose content can be recognized only by the name of the argument. */
final class TextFields {
  /** The body of a SQL function, and its parameters with their defaults. */
  private static final Set<String> SQL =
      new HashSet<>(Arrays.asList("exprText", "queryText", "inputParamText"));

  private TextFields() {}

  /** Writes the argument if it has one of these names. Returns whether it was written. */
  static boolean write(String name, Object value, ColumnNames names, Redaction redaction, Json out) {
    if (name.equals("outputColumnNames") && value instanceof Seq) {
      out.array();
      Iterator<?> columns = ((Seq<?>) value).iterator();
      while (columns.hasNext()) {
        out.string(names.of((String) columns.next()));
      }
      out.endArray();
      return true;
    }
    Object text = value instanceof Option ? ((Option<?>) value).getOrElse(() -> null) : value;
    if (SQL.contains(name) && text instanceof String) {
      out.string(redaction.statement((String) text));
      return true;
    }
    return false;
  }
}
