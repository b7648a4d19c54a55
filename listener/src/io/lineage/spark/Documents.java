package io.lineage.spark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The four kinds of plan documents, as docs/reference/plan-document.md specifies. */
final class Documents {
  static final int FORMAT = 1;

  private final Application application;
  private final Plans plans;
  private final Redaction redaction;
  private final Models models;

  Documents(Application application, Plans plans, Models models, Redaction redaction) {
    this.application = application;
    this.plans = plans;
    this.models = models;
    this.redaction = redaction;
  }

  Document applicationStart(long time) {
    return (json, withPlans) -> {
      envelope("application_start", time, Collections.emptyMap(), json);
      json.endObject();
    };
  }

  Document executionStart(Execution execution, Execution.Run run) {
    return (json, withPlans) -> {
      envelope("execution_start", execution.started, execution.sessionSettings, json);
      execution.write(redaction, json);
      sql(run, json);
      if (withPlans && run.analyzed != null) {
        plan(execution, run, json);
      }
      json.endObject();
    };
  }

  Document executionEnd(Execution execution, Execution.Run run, long time, Failure failure) {
    // a nested execution may end on the bus while the encoder's thread writes this document
    List<Execution.Run> nested = new ArrayList<>(execution.nested);
    if (failure != null) {
      Execution.blame(failure, run, nested);
    }
    return (json, withPlans) -> {
      envelope("execution_end", time, execution.sessionSettings, json);
      execution.write(redaction, json);
      json.field("outcome", failure == null ? "COMPLETE" : "FAIL");
      json.field("durationMs", time - execution.started);
      json.key("started").object().field("time", execution.started);
      json.key("plan").bool(execution.planReported).endObject();
      if (failure != null) {
        failure.write(redaction, json);
      }
      sql(run, json);
      if (withPlans) {
        plans(execution, run, nested, json);
      }
      json.endObject();
    };
  }

  Document applicationEnd(
      long time, Object exitCode, DriverExit exit, OutcomeCounts outcomes, DroppedDocuments drops) {
    return (json, withPlans) -> {
      envelope("application_end", time, Collections.emptyMap(), json);
      json.key("shutdown").bool(exit != null);
      if (exitCode != null) {
        json.field("exitCode", (Integer) exitCode);
      }
      if (exit != null) {
        exit.write(redaction, json);
      }
      outcomes.write(redaction, json);
      drops.write(json);
      json.endObject();
    };
  }

  /** Writes the fields that all documents have in common, without the closing bracket. */
  void envelope(String kind, long time, Map<String, String> settings, Json json) {
    json.object().field("lineage", FORMAT).field("kind", kind).field("time", time);
    application.write(settings, json);
  }

  private void sql(Execution.Run run, Json json) {
    if (run.sql != null) {
      json.field("sql", redaction.statement(Values.capped(run.sql, 100_000)));
    }
  }

  private void plans(
      Execution execution, Execution.Run run, List<Execution.Run> nestedRuns, Json json) {
    Map<Object, Integer> relations = Collections.emptyMap();
    if (run.analyzed != null) {
      relations = plan(execution, run, json).relations;
    } else if (run.attempted != null) {
      json.key("attempted").raw(plans.of(run.attempted, run.session).json);
    }
    if (plans.mayHideVariable(run)) {
      json.key("hidesVariables").bool(true);
    }
    if (plans.mayHaveVariableInValues(run)) {
      json.key("variablesInValues").bool(true);
    }
    Metrics.write(run.executed, relations, execution.started, json.key("metrics"));
    json.key("nested").array();
    for (Execution.Run nested : nestedRuns) {
      nested(nested, execution.started, json);
    }
    json.endArray();
    if (execution.nestedLost > 0) {
      json.field("nestedLost", execution.nestedLost);
    }
  }

  private Plan plan(Execution execution, Execution.Run run, Json json) {
    Plan plan = execution.plan(run, plans);
    json.key("plan").raw(plan.json);
    if (plan.usesModels || MlFrames.isSaveOfMetadata(execution.ml)) {
      models.write(json);
    }
    return plan;
  }

  private void nested(Execution.Run run, long started, Json json) {
    json.object().field("id", run.id);
    Map<Object, Integer> relations = Collections.emptyMap();
    if (run.analyzed != null) {
      Plan plan = plans.of(run.analyzed, run.session);
      relations = plan.relations;
      json.key("plan").raw(plan.json);
    }
    Metrics.write(run.executed, relations, started, json.key("metrics"));
    json.endObject();
  }
}
