package io.lineage.spark;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkContext$;
import org.apache.spark.scheduler.SparkListenerApplicationStart;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.Tuple2;
import scala.util.Properties;

/** The `app` object, which describes the application in each of its documents. */
final class Application {
  private static final Logger LOG = LoggerFactory.getLogger(LineageListener.class);
  private static final String OPENLINEAGE = "spark.openlineage.";
  private static final String RUN_ID = OPENLINEAGE + "applicationRunId";

  /** Settings that affect the names of datasets, or the effect of a write on them. */
  private static final Pattern NAMING =
      Pattern.compile(
          "spark\\.sql\\.warehouse\\.dir|spark\\.sql\\.catalogImplementation"
              + "|spark\\.sql\\.sources\\.partitionOverwriteMode"
              + "|spark\\.sql\\.catalog\\.\\w+(\\.(type|catalog-impl|uri|url|warehouse|io-impl))?");

  /** The directory to which relative paths of file streams are resolved. */
  private static final String DIRECTORY = "user.dir";

  private static final String[] HADOOP = {"fs.defaultFS", "hive.metastore.uris"};

  final String run;

  private final SparkConf conf;
  private final String namespace;
  private final Redaction redaction;
  private final CompatibilityCheck compatibility;
  private String host;
  private SparkListenerApplicationStart start;

  Application(SparkConf conf, String namespace, Redaction redaction, CompatibilityCheck compatibility) {
    this.conf = conf;
    this.namespace = namespace;
    this.redaction = redaction;
    this.compatibility = compatibility;
    this.run = chooseRun();
  }

  /** Returns the id that the application sets, else a new one. */
  private String chooseRun() {
    String id = conf.get(RUN_ID, null);
    if (id != null) {
      try {
        return UUID.fromString(id).toString();
      } catch (IllegalArgumentException e) {
        LOG.warn(
            "Lineage: {}={} is invalid; a random UUID is used. Set it to a UUID.",
            RUN_ID,
            redaction.text(id));
      }
    }
    return UUID.randomUUID().toString();
  }

  void started(SparkListenerApplicationStart event) {
    start = event;
  }

  /** Writes the object; settings of the session take precedence over those of the application. */
  void write(Map<String, String> sessionSettings, Json json) {
    json.key("app").object().field("run", run);
    if (start != null) {
      json.field("id", orNull(start.appId())).field("attempt", orNull(start.appAttemptId()));
      json.field("name", redaction.text(conf.get(OPENLINEAGE + "appName", start.appName())));
      json.field("user", start.sparkUser()).field("started", start.time());
    } else {
      json.field("name", redaction.text(conf.get(OPENLINEAGE + "appName", conf.get("spark.app.name", null))));
    }
    json.field("master", redaction.text(conf.get("spark.master", "")));
    json.field("deployMode", conf.get("spark.submit.deployMode", "client"));
    json.field("host", host()).field("pid", pid());
    json.field("driverHost", conf.get("spark.driver.host", null)).field("uiUrl", uiUrl());
    json.field("spark", compatibility.spark);
    json.field("scala", Properties.versionNumberString());
    json.field("java", System.getProperty("java.version")).field("listener", compatibility.version);
    json.field("namespace", redaction.text(namespace));
    parent(json);
    JobSettings.write(conf, sessionSettings, redaction, json);
    naming(sessionSettings, json);
    json.endObject();
  }

  private void parent(Json json) {
    String[] names = {"parentRunId", "parentJobNamespace", "parentJobName"};
    String[] roots = {"rootParentRunId", "rootParentJobNamespace", "rootParentJobName"};
    if (conf.contains(OPENLINEAGE + names[0])) {
      json.key("parent");
      openJob(names, json);
      if (conf.contains(OPENLINEAGE + roots[0])) {
        json.key("root");
        openJob(roots, json);
        json.endObject();
      }
      json.endObject();
    }
  }

  /** Opens the object of a run and its job. The caller closes it. */
  private void openJob(String[] settings, Json json) {
    json.object().field("run", conf.get(OPENLINEAGE + settings[0]));
    json.field("namespace", redaction.text(conf.get(OPENLINEAGE + settings[1], null)));
    json.field("name", redaction.text(conf.get(OPENLINEAGE + settings[2], null)));
  }

  private void naming(Map<String, String> sessionSettings, Json json) {
    Map<String, String> candidates = new TreeMap<>();
    hadoop(candidates);
    candidates.put(DIRECTORY, System.getProperty(DIRECTORY));
    for (Tuple2<String, String> setting : conf.getAll()) {
      candidates.put(setting._1, setting._2);
    }
    candidates.putAll(sessionSettings);
    json.key("conf").object();
    candidates.forEach(
        (name, value) -> {
          if (NAMING.matcher(name).matches() || isHadoops(name) || name.equals(DIRECTORY)) {
            json.field(name, redaction.value(name, value));
          }
        });
    json.endObject();
  }

  private static boolean isHadoops(String name) {
    return name.equals(HADOOP[0]) || name.equals(HADOOP[1]);
  }

  /** Adds settings of Hadoop's configuration, which is in memory since the context was created. */
  private static void hadoop(Map<String, String> candidates) {
    Option<SparkContext> context = SparkContext$.MODULE$.getActive();
    if (context.isDefined()) {
      Configuration hadoop = context.get().hadoopConfiguration();
      for (String name : HADOOP) {
        String value = hadoop.get(name);
        if (value != null && !value.isEmpty()) {
          candidates.put(name, value);
        }
      }
    }
  }

  /** Returns the URL of the user interface; null without one, and while the context is being created. */
  private static String uiUrl() {
    Option<SparkContext> context = SparkContext$.MODULE$.getActive();
    return context.isDefined() ? orNull(context.get().uiWebUrl()) : null;
  }

  private static String orNull(Option<String> text) {
    return text.isDefined() ? text.get() : null;
  }

  /** Returns the host name. The first call may query a name server, on the encoder's thread. */
  private String host() {
    if (host == null) {
      try {
        host = InetAddress.getLocalHost().getHostName();
      } catch (UnknownHostException e) {
        host = "localhost";
      }
    }
    return host;
  }

  /** Returns the process id, which Java 8 provides only in the name of the runtime. */
  private static long pid() {
    return Long.parseLong(ManagementFactory.getRuntimeMXBean().getName().split("@")[0]);
  }
}
