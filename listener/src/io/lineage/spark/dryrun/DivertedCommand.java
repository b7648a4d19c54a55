package io.lineage.spark.dryrun;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.ExternalCommandRunner;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Runs in place of a command that writes: it answers the question if the command is about its table. */
final class DivertedCommand implements ExternalCommandRunner {
  private final DryRun run;
  private final SparkSession session;
  private final String name;
  private final Target target;

  DivertedCommand(DryRun run, SparkSession session, LogicalPlan command) {
    this.run = run;
    this.session = session;
    this.name = command.getClass().getSimpleName();
    this.target = Target.of(command);
  }

  @Override
  public String[] executeCommand(String command, CaseInsensitiveStringMap options) {
    boolean isAsked = target.query != null && run.question.isAbout(target.names);
    Map<String, Object> record = new LinkedHashMap<>();
    record.put("command", name);
    record.put("target", target.best());
    record.put("traced", isAsked);
    run.results.add("commands", record);
    Answers answers = new Answers(run, session);
    if (isAsked) {
      answers.answer(target);
    }
    if (target.query != null) {
      answers.remember(target);
    }
    return new String[0];
  }
}
