package io.lineage.spark;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;
import scala.Tuple2;

/**
 * The settings and environment variables that describe a job and that Spark itself does not use: its parent
 * run, tags, owners and lists of datasets. The converter interprets them and applies their precedence.
 */
final class JobSettings {
  /** Settings that a session may override. */
  private static final Pattern OF_SESSION =
      Pattern.compile(
          "spark\\.lineage\\.(tags|nominalTime)|spark\\.openlineage\\.(job|run)\\.tags");

  private static final Pattern OF_APPLICATION =
      Pattern.compile(
          "spark\\.lineage\\.(sqlLiterals|datasets\\.(?:allow|deny))"
              + "|spark\\.openlineage\\.(context|job\\.owners\\..+)");

  /** The variables in which a scheduler passes the parent run. */
  private static final String[] VARIABLES = {
    "OPENLINEAGE_CONTEXT", "OPENLINEAGE_PARENT_ID", "OPENLINEAGE_ROOT_PARENT_ID"
  };

  private static final int MAX_VALUE_LENGTH = 10_000;

  private JobSettings() {}

  static void write(
      SparkConf conf, Map<String, String> sessionSettings, Redaction redaction, Json json) {
    Map<String, String> settings = settings(conf, sessionSettings);
    if (!settings.isEmpty()) {
      json.key("settings").object();
      settings.forEach(
          (name, value) -> json.field(name, Values.capped(redaction.value(name, value), MAX_VALUE_LENGTH)));
      json.endObject();
    }
  }

  private static Map<String, String> settings(SparkConf conf, Map<String, String> sessionSettings) {
    Map<String, String> settings = new TreeMap<>();
    for (Tuple2<String, String> setting : conf.getAll()) {
      if (OF_SESSION.matcher(setting._1).matches() || OF_APPLICATION.matcher(setting._1).matches()) {
        settings.put(setting._1, setting._2);
      }
    }
    sessionSettings.forEach(
        (name, value) -> {
          if (OF_SESSION.matcher(name).matches()) {
            settings.put(name, value);
          }
        });
    for (String name : VARIABLES) {
      String value = System.getenv(name);
      if (value != null && !value.isEmpty()) {
        settings.put(name, value);
      }
    }
    return settings;
  }
}
