package io.lineage.spark.dryrun;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.ExternalCommandRunner;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Runs in place of the commands of one statement, such as one with several INSERTs, in their order. */
final class DivertedCommands implements ExternalCommandRunner {
  private final List<ExternalCommandRunner> commands;

  DivertedCommands(List<ExternalCommandRunner> commands) {
    this.commands = new ArrayList<>(commands);
  }

  @Override
  public String[] executeCommand(String command, CaseInsensitiveStringMap options) {
    commands.forEach(each -> each.executeCommand(command, options));
    return new String[0];
  }
}
