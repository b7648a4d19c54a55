package io.lineage.spark;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * The plan document of a query that has not run, as if it had ended. It names the inputs as the document of a run
 * does, and has the manifests of the scans that have selected their files.
 */
public final class QueryDocument {
  /** The limit of the plan. It need not be sent or stored, and its inputs are to be complete. */
  private static final int MAX_BYTES = 64 << 20;

  private QueryDocument() {}

  public static String of(SparkSession session, LogicalPlan analyzed, SparkPlan physical) {
    SparkConf conf = session.sparkContext().getConf();
    Redaction redaction = new Redaction(conf);
    DroppedDocuments drops = new DroppedDocuments();
    TableLocations locations = new TableLocations(conf, drops);
    Plans plans = new Plans(MAX_BYTES, redaction, locations, new EarlierPlans(drops));
    Plan plan = plans.of(analyzed, "");
    Json json = new Json().object().field("lineage", Documents.FORMAT).field("kind", "execution_end");
    json.field("time", System.currentTimeMillis());
    application(conf, redaction).write(settings(session), json);
    json.key("execution").object().field("id", 0).endObject();
    json.field("outcome", "COMPLETE").field("durationMs", 0);
    json.key("plan").raw(plan.json);
    Metrics.write(physical, plan.relations, Metrics.NOT_RUN, json.key("metrics"));
    return new String(json.endObject().toBytes(), StandardCharsets.UTF_8);
  }

  private static Application application(SparkConf conf, Redaction redaction) {
    try {
      return new Application(conf, Settings.namespace(conf), redaction, CompatibilityCheck.check());
    } catch (IOException | ReflectiveOperationException e) {
      throw new IllegalStateException("the version of Spark cannot be read", e);
    }
  }

  private static Map<String, String> settings(SparkSession session) {
    Map<String, String> settings = new HashMap<>();
    for (Iterator<Tuple2<String, String>> each = session.conf().getAll().iterator(); each.hasNext(); ) {
      Tuple2<String, String> setting = each.next();
      settings.put(setting._1(), setting._2());
    }
    return settings;
  }
}
