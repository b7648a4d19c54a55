package io.lineage.spark;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * Does this jar fit the Spark and the Scala that loaded it? Links against nothing that differs between
 * them, so that the question can be asked where the answer is no.
 */
final class Fit {
  /** The version of this jar. */
  final String version;

  /** The version of the Spark that loaded it. */
  final String spark;

  private final String builtForSpark;
  private final String builtForScala;
  private final String scalaVersion;

  private Fit(Properties built, String spark, String scalaVersion) {
    this.version = built.getProperty("version");
    this.builtForSpark = built.getProperty("spark");
    this.builtForScala = built.getProperty("scala");
    this.spark = spark;
    this.scalaVersion = scalaVersion;
  }

  static Fit check() throws IOException, ReflectiveOperationException {
    Properties built = new Properties();
    try (InputStream in = Fit.class.getResourceAsStream("build.properties")) {
      built.load(in);
    }
    // The object is called `package` in Scala, which is no name that Java source may use.
    Object spark = Class.forName("org.apache.spark.package").getMethod("SPARK_VERSION").invoke(null);
    return new Fit(built, (String) spark, scala.util.Properties.versionNumberString());
  }

  /** What is wrong and what to do, or null where all is well. */
  String problem() {
    if (isOfLine(spark, builtForSpark) && isOfLine(scalaVersion, builtForScala)) {
      return null;
    }
    return String.format(
        "this listener (%s) is for Spark %s with Scala %s, but this is Spark %s with Scala %s."
            + " Use the jar that `lineage jar --spark %s` names",
        version, builtForSpark, builtForScala, spark, scalaVersion, spark);
  }

  private static boolean isOfLine(String version, String line) {
    return version.equals(line) || version.startsWith(line + ".");
  }
}
