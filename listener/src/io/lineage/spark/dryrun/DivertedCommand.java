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
  private final Effect effect;

  DivertedCommand(DryRun run, SparkSession session, LogicalPlan command, Effect effect) {
    this.run = run;
    this.session = session;
    this.name = command.getClass().getSimpleName();
    this.target = Target.of(session, command);
    this.effect = effect;
  }

  /** Returns whether later reads cannot be compared with the dataset that the command would have changed. */
  boolean isOfUnknownTarget() {
    return target.names.isEmpty() && (effect == Effect.CHANGES || effect == Effect.EMPTIES);
  }

  @Override
  public String[] executeCommand(String command, CaseInsensitiveStringMap options) {
    boolean isAsked = target.query != null && run.question.isAbout(target.names);
    Map<String, Object> record = new LinkedHashMap<>();
    record.put("command", name);
    record.put("target", target.best());
    record.put("traced", isAsked);
    run.results.add("commands", record);
    checkFunctions();
    // Reads of their own table by DELETE, UPDATE or MERGE of a connector do not affect the answer.
    boolean isChecked = isAsked || effect != Effect.CHANGES;
    if (target.query != null && isChecked) {
      run.checkReads(target.query);
    }
    if (isAsked) {
      new Answers(run, session).answer(target);
    }
    if (target.query != null && (isChecked || run.changes.missingIn(target.query) == null)) {
      run.remember(target);
    }
    run.changes.add(new Change(name, target, effect));
    run.results.write(); // the command may have changed the labels of answers
    return new String[0];
  }

  /** A function that is dropped and created again would have another definition. */
  private void checkFunctions() {
    if (name.startsWith("Create") && name.endsWith("FunctionCommand") && run.hasDroppedFunction) {
      throw run.rejected("It did not drop a function, so that it cannot create another one: " + name + ".");
    }
    run.hasDroppedFunction |= name.startsWith("Drop") && name.endsWith("FunctionCommand");
  }
}
