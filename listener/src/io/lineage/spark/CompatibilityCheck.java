package io.lineage.spark;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * Does this jar fit the Spark and the Scala that loaded it? Links against nothing that differs between
 * them, so that the question can be asked where the answer is no.
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

  static CompatibilityCheck check() throws IOException, ReflectiveOperationException {
    Properties built = new Properties();
    try (InputStream in = CompatibilityCheck.class.getResourceAsStream("build.properties")) {
      built.load(in);
    }
    // The object is called `package` in Scala, which is no name that Java source may use.
    Object spark = Class.forName("org.apache.spark.package").getMethod("SPARK_VERSION").invoke(null);
    return new CompatibilityCheck(built, (String) spark, scala.util.Properties.versionNumberString());
  }

  /** What is wrong and what to do, or null where all is well. */
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
            + " Another version of Lineage may have one that fits: ask its `lineage jar --spark %s`",
        version, served, spark, scalaVersion, spark);
  }

  private static boolean isOfLine(String version, String line) {
    return version.equals(line) || version.startsWith(line + ".");
  }
}
