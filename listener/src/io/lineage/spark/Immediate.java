package io.lineage.spark;

import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * Statements that EXECUTE IMMEDIATE ran. In Spark 4.3 their plans have values in place of the parameters, so
 * that variables among the arguments are not visible.
 */
final class Immediate {
  private static final String KIND = "EXECUTE IMMEDIATE";
  private static final Pattern PARAMETER = Pattern.compile("\\?|(?<!:):[A-Za-z_]");

  private Immediate() {}

  /** Returns whether EXECUTE IMMEDIATE ran this statement and its text has parameters. */
  static boolean hasParameters(LogicalPlan parsed) {
    Object origin = parsed == null ? null : SparkFacts.get(parsed, "origin");
    if (origin == null || !KIND.equals(SparkFacts.get(origin, "objectType"))) {
      return false;
    }
    Object text = SparkFacts.get(origin, "sqlText");
    return text != null && PARAMETER.matcher(text.toString()).find();
  }
}
