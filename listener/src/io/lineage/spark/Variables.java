package io.lineage.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.connector.catalog.Identifier;

/** What is known of the variables of sessions. */
final class Variables {
  private Variables() {}

  /** The full name of the variable that an expression refers to: that of its scope, then its own. */
  static String name(Expression reference) {
    Object identifier = ClassInfo.element(reference, "identifier");
    if (!(identifier instanceof Identifier)) {
      return null;
    }
    List<String> parts = new ArrayList<>(Arrays.asList(((Identifier) identifier).namespace()));
    parts.add(((Identifier) identifier).name());
    return String.join(".", parts);
  }
}
