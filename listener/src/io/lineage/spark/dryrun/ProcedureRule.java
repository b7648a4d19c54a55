package io.lineage.spark.dryrun;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;

/**
 * Rejects CALL before it is resolved: Spark 4 calls the procedure while it analyzes the plan, and a procedure may
 * change any table.
 */
final class ProcedureRule extends Rule<LogicalPlan> {
  private final DryRun run;

  ProcedureRule(DryRun run) {
    this.run = run;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    if (plan.getClass().getSimpleName().equals("Call")) {
      throw run.rejected("It cannot run the command CALL, which was not executed.");
    }
    return plan;
  }
}
