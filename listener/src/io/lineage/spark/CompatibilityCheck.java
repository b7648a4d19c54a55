package io.lineage.spark;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * The check whether this jar supports the Spark and Scala that loaded it. It links only to classes that all
 * versions have, so that it can run in an unsupported one.
 */
final class CompatibilityCheck {
  /** The version of this jar. */
  final String version;

  /** The version of the Spark that loaded it. */
  final String spark;

  /** Lines of Spark and Scala, such as "3.5_2.12 4_2.13". */
  private final String fits;

  private final String scalaVersion;

  private CompatibilityCheck(Properties built, String spark, String scalaVersion) {
    this.version = built.getProperty("version");
    this.fits = built.getProperty("fits");
    this.spark = spark;
    this.scalaVersion = scalaVersion;
  }

  /** Reads the versions of this jar, and of the Spark and Scala that loaded it. */
  static CompatibilityCheck check() throws IOException, ReflectiveOperationException {
    Properties built = new Properties();
    try (InputStream in = CompatibilityCheck.class.getResourceAsStream("build.properties")) {
      built.load(in);
    }
    // In Scala the object is named `package`, which is a keyword of Java.
    Object spark = Class.forName("org.apache.spark.package").getMethod("SPARK_VERSION").invoke(null);
    return new CompatibilityCheck(built, (String) spark, scala.util.Properties.versionNumberString());
  }

  /** Returns the problem and its remedy, or null if the versions are supported. */
  String problem() {
    for (String pair : fits.split(" ")) {
      String[] lines = pair.split("_");
      if (isOfLine(spark, lines[0]) && isOfLine(scalaVersion, lines[1])) {
        return null;
      }
    }
    String served = String.join(", Spark ", fits.split(" ")).replace("_", " with Scala ");
    return String.format(
        "this listener (%s) is for Spark %s, but this is Spark %s with Scala %s."
            + " Another version of Lineage may support it: run `lineage jar --spark %s` of that version",
        version, served, spark, scalaVersion, spark);
  }

  private static boolean isOfLine(String version, String line) {
    return version.equals(line) || version.startsWith(line + ".");
  }
}
