package io.lineage.spark;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.SparkConf;
import org.apache.spark.network.util.JavaUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/** The settings of the listener and their defaults, except those of the collector ({@link Endpoint}). */
final class Settings {
  private static final Logger LOG = LoggerFactory.getLogger(LineageListener.class);

  static final String PREFIX = "spark.lineage.";
  static final String SQL_LITERALS = "spark.lineage.sqlLiterals";
  static final String NAMESPACE = "spark.lineage.namespace";
  static final String SPOOL = "spark.lineage.spool";
  static final String SPOOL_ROTATE_BYTES = "spark.lineage.spool.rotateBytes";
  static final String UNSENT_MAX_BYTES = "spark.lineage.unsent.maxBytes";
  static final String PLAN_MAX_BYTES = "spark.lineage.plan.maxBytes";
  static final String QUEUE_PLANS = "spark.lineage.queue.plans";
  static final String QUEUE_BYTES = "spark.lineage.queue.bytes";
  static final String FLUSH_TIMEOUT = "spark.lineage.flushTimeout";
  static final String STREAMING_INTERVAL = "spark.lineage.streaming.interval";
  static final String ENABLED = "spark.lineage.enabled";
  static final String TAGS = "spark.lineage.tags";
  static final String NOMINAL_TIME = "spark.lineage.nominalTime";
  static final String DATASETS_ALLOW = "spark.lineage.datasets.allow";
  static final String DATASETS_DENY = "spark.lineage.datasets.deny";

  private static final Set<String> KNOWN =
      new LinkedHashSet<>(
          Arrays.asList(
              ENABLED,
              NAMESPACE,
              SQL_LITERALS,
              SPOOL,
              SPOOL_ROTATE_BYTES,
              UNSENT_MAX_BYTES,
              PLAN_MAX_BYTES,
              QUEUE_PLANS,
              QUEUE_BYTES,
              FLUSH_TIMEOUT,
              TAGS,
              NOMINAL_TIME,
              DATASETS_ALLOW,
              DATASETS_DENY,
              STREAMING_INTERVAL));

  static {
    KNOWN.addAll(Endpoint.NAMES);
  }

  final String namespace;
  final Path spool;
  final long spoolRotateBytes;
  final long unsentMaxBytes;
  final int planMaxBytes;
  final int queuePlans;
  final int queueBytes;
  final long flushMillis;
  final long streamingMillis;

  private final SparkConf conf;

  Settings(SparkConf conf) {
    this.conf = conf;
    this.namespace = namespace(conf);
    String directory = UserDirectories.ofProcess().spool().toString();
    this.spool = value(SPOOL, directory, Settings::path);
    this.spoolRotateBytes = bytes(SPOOL_ROTATE_BYTES, "128m", Long.MAX_VALUE);
    this.unsentMaxBytes = bytes(UNSENT_MAX_BYTES, "1g", Long.MAX_VALUE);
    this.planMaxBytes = (int) bytes(PLAN_MAX_BYTES, "1m", 1 << 30);
    this.queuePlans = value(QUEUE_PLANS, "1000", text -> (int) inRange(Long.parseLong(text), 1 << 20));
    this.queueBytes = (int) bytes(QUEUE_BYTES, "32m", 1 << 30);
    this.flushMillis = value(FLUSH_TIMEOUT, "5s", JavaUtils::timeStringAsSec) * 1000;
    this.streamingMillis = value(STREAMING_INTERVAL, "5m", JavaUtils::timeStringAsSec) * 1000;
    warnOfUnknown();
  }

  /**
   * Returns whether the listener is enabled. Without spark.lineage.enabled, the settings that disable
   * openlineage-spark also disable this listener.
   */
  static boolean enabled(SparkConf conf) {
    if (conf.contains(ENABLED)) {
      return !"false".equalsIgnoreCase(conf.get(ENABLED).trim());
    }
    return !isTrue(conf.get("spark.openlineage.disabled", ""))
        && !isTrue(System.getenv("OPENLINEAGE_DISABLED"));
  }

  private static boolean isTrue(String text) {
    return text != null && text.trim().equalsIgnoreCase("true");
  }

  /** Returns the namespace of the application's jobs. */
  static String namespace(SparkConf conf) {
    return conf.get(NAMESPACE, conf.get("spark.openlineage.namespace", defaultNamespace()));
  }

  /** Returns the default namespace, from the same environment variable as openlineage-spark. */
  private static String defaultNamespace() {
    String given = System.getenv("OPENLINEAGE__NAMESPACE");
    return given == null || given.isEmpty() ? "default" : given;
  }

  private long bytes(String key, String byDefault, long most) {
    return value(key, byDefault, text -> inRange(JavaUtils.byteStringAsBytes(text), most));
  }

  private static long inRange(long value, long most) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException("The value must be between 1 and " + most + ".");
    }
    return value;
  }

  private <T> T value(String key, String byDefault, Function<String, T> parse) {
    String text = conf.get(key, byDefault).trim();
    try {
      return parse.apply(text);
    } catch (RuntimeException e) {
      String reason = String.valueOf(e.getMessage()).replace('\n', ' ');
      LOG.error("Lineage: {}={} is invalid; the default {} is used. {}", key, text, byDefault, reason);
      return parse.apply(byDefault);
    }
  }

  private static Path path(String text) {
    String plain = text.startsWith("file:") ? text.replaceFirst("^file:(//)?", "") : text;
    if (plain.isEmpty() || plain.matches("[A-Za-z][A-Za-z0-9+.-]+://.*")) {
      throw new InvalidPathException(text, "The value must be a directory on a local disk of the driver");
    }
    return UserDirectories.ofProcess().path(plain);
  }

  private void warnOfUnknown() {
    for (Tuple2<String, String> entry : conf.getAllWithPrefix(PREFIX)) {
      if (!KNOWN.contains(PREFIX + entry._1)) {
        LOG.warn("Lineage: there is no setting {}{}. There are: {}", PREFIX, entry._1, KNOWN);
      }
    }
  }
}
