package io.lineage.spark.dryrun;

import io.lineage.spark.records.PlanTrees;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.connector.ExternalCommandRunner;
import org.apache.spark.sql.execution.command.ExternalCommandExecutor;

/** Replaces each command that writes by one that does not, and rejects each command that it does not know. */
final class DivertingRule extends Rule<LogicalPlan> {
  private final DryRun run;
  private final SparkSession session;

  DivertingRule(DryRun run, SparkSession session) {
    this.run = run;
    this.session = session;
  }

  @Override
  public LogicalPlan apply(LogicalPlan plan) {
    run.guardCatalog(session);
    if (plan.isStreaming() || plan.getClass().getSimpleName().startsWith("WriteToStream")) {
      throw rejected("a streaming query");
    }
    if (plan instanceof Command) {
      return divert(plan);
    }
    run.checkReads(plan);
    return applyBelow(plan);
  }

  private LogicalPlan applyBelow(LogicalPlan plan) {
    if (plan instanceof Command) {
      return divert(plan);
    }
    Map<LogicalPlan, LogicalPlan> replaced = new HashMap<>();
    PlanTrees.children(plan).forEach(child -> replaced.put(child, applyBelow(child)));
    LogicalPlan diverted = (LogicalPlan) plan.mapChildren(replaced::get);
    return diverted instanceof Union ? ofOneStatement(diverted) : diverted;
  }

  /**
   * Replaces the commands of one statement by one command. The output of a replaced command has new ids on each
   * access, so that a Union cannot refer to it.
   */
  private static LogicalPlan ofOneStatement(LogicalPlan union) {
    List<ExternalCommandRunner> commands = new ArrayList<>();
    for (LogicalPlan command : PlanTrees.children(union)) {
      if (!isOurs(command)) {
        return union;
      }
      commands.add(((ExternalCommandExecutor) command).runner());
    }
    return new ExternalCommandExecutor(new DivertedCommands(commands), union.nodeName(), noOptions());
  }

  private LogicalPlan divert(LogicalPlan command) {
    String name = command.getClass().getSimpleName();
    if (Commands.isHarmless(command) || isOurs(command)) {
      return command;
    }
    Effect effect = Commands.effect(command, PlanTrees.member(PlanTrees.member(session, "sessionState"), "catalog"));
    if (effect == null) {
      throw rejected("the command " + name);
    }
    if (!command.resolved()) {
      return command; // the analyzer reports why
    }
    DivertedCommand write = new DivertedCommand(run, session, command, effect);
    if (write.isOfUnknownTarget()) {
      throw rejected("the command " + name + ", whose target is not known");
    }
    return new ExternalCommandExecutor(write, name, noOptions());
  }

  @SuppressWarnings("unchecked")
  private static scala.collection.immutable.Map<String, String> noOptions() {
    return (scala.collection.immutable.Map<String, String>) PlanTrees.emptyMap();
  }

  private static boolean isOurs(LogicalPlan command) {
    return command instanceof ExternalCommandExecutor
        && isOurs(((ExternalCommandExecutor) command).runner());
  }

  private static boolean isOurs(ExternalCommandRunner runner) {
    return runner instanceof DivertedCommand || runner instanceof DivertedCommands;
  }

  private UnsupportedOperationException rejected(String subject) {
    return run.rejected("It cannot run " + subject + ", which was not executed.");
  }
}
