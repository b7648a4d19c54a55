package io.lineage.spark.records;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.util.QueryExecutionListener;
import scala.Option;

/** The operators of the queries that a session has finished, with the rows that Spark itself counted. */
public final class QueryOperators implements QueryExecutionListener {
  private static final int MAX_QUERIES = 1000;
  private static final int MAX_OPERATORS = 1000;

  private final SparkSession session;
  private final List<String> queries = new ArrayList<>();

  QueryOperators(SparkSession session) {
    this.session = session;
    Catalyst.call(Catalyst.call(session, "listenerManager"), "register", this);
  }

  @Override
  public void onSuccess(String function, QueryExecution execution, long nanoseconds) {
    try {
      Walk walk = new Walk();
      walk.visit(execution.executedPlan());
      String text = new ObjectMapper().writeValueAsString(walk.operators);
      synchronized (this) {
        if (queries.size() < MAX_QUERIES) {
          queries.add(text);
        }
      }
    } catch (Exception e) {
      return; // a report is not worth an error on Spark's bus
    }
  }

  @Override
  public void onFailure(String function, QueryExecution execution, Exception error) {}

  /** Waits for the events of finished queries, and returns the operators of each as JSON, inputs first. */
  public List<String> queries() {
    Catalyst.call(Catalyst.call(session.sparkContext(), "listenerBus"), "waitUntilEmpty");
    synchronized (this) {
      return new ArrayList<>(queries);
    }
  }

  public void unregister() {
    Catalyst.call(Catalyst.call(session, "listenerManager"), "unregister", this);
  }

  /** A walk over the plan that ran in the end. */
  private static final class Walk {
    private final List<Map<String, Object>> operators = new ArrayList<>();
    private final IdentityHashMap<SparkPlan, Integer> numbers = new IdentityHashMap<>();

    /** Returns the number of the operator that returns the rows of a plan. */
    Integer visit(SparkPlan plan) {
      Integer known = numbers.get(plan);
      if (known != null || operators.size() >= MAX_OPERATORS) {
        return known;
      }
      Integer number;
      String kind = plan.getClass().getSimpleName();
      if (plan instanceof AdaptiveSparkPlanExec) {
        number = visit(((AdaptiveSparkPlanExec) plan).executedPlan());
      } else if (plan instanceof QueryStageExec) {
        number = visit(((QueryStageExec) plan).plan());
      } else if (kind.equals("CommandResultExec")) {
        number = visit((SparkPlan) Catalyst.call(plan, "commandPhysicalPlan"));
      } else if (kind.equals("WholeStageCodegenExec") || kind.equals("InputAdapter") || kind.equals("ReusedExchangeExec")) {
        number = visit((SparkPlan) Catalyst.call(plan, "child"));
      } else {
        number = add(plan);
      }
      numbers.put(plan, number);
      return number;
    }

    private Integer add(SparkPlan plan) {
      List<Integer> inputs = new ArrayList<>();
      Seqs.<SparkPlan>list(Catalyst.call(plan, "children")).forEach(child -> inputs.add(visit(child)));
      Seqs.<SparkPlan>list(Catalyst.call(plan, "subqueries")).forEach(this::visit);
      Map<String, Object> operator = new LinkedHashMap<>();
      operator.put("operator", plan.nodeName());
      operator.put("kind", plan.getClass().getSimpleName());
      operator.put("inputs", inputs);
      Option<SQLMetric> rows = plan.metrics().get("numOutputRows");
      operator.put("rows", rows.isDefined() ? rows.get().value() : null);
      operators.add(operator);
      return operators.size() - 1;
    }
  }
}
