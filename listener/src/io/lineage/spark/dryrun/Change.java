package io.lineage.spark.dryrun;

import java.util.Set;

/** A command of the job that was not executed. */
final class Change {
  final Effect effect;
  private final String command;
  private final Target target;

  Change(String command, Target target, Effect effect) {
    this.command = command;
    this.target = target;
    this.effect = effect;
  }

  /** Returns whether a dataset with these names has rows in common with the target. */
  boolean concerns(Set<String> names) {
    return target.names.stream().anyMatch(name -> names.stream().anyMatch(each -> DatasetNames.overlap(name, each)));
  }

  /** Returns whether a dataset with these names is the target or a part of it. */
  boolean covers(Set<String> names) {
    return target.names.stream().anyMatch(name -> names.stream().anyMatch(each -> DatasetNames.isWithin(each, name)));
  }

  @Override
  public String toString() {
    return command + " of " + target.best();
  }
}
