package io.lineage.spark.dryrun;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/**
 * The changes that the job would have made so far. A dataset that is written is read as it is now, since the job has
 * run. One whose rows would have been removed or changed is not read before the job has written it again.
 */
final class Changes {
  private final List<Change> changes = new ArrayList<>();
  private final List<Answer> answers = new ArrayList<>();

  /** The datasets that an answer has read, and its labels. */
  private static final class Answer {
    final List<Set<String>> datasets;
    final List<String> labels;

    Answer(List<Set<String>> datasets, List<String> labels) {
      this.datasets = datasets;
      this.labels = labels;
    }

    void label(Change change) {
      boolean isRead = datasets.stream().anyMatch(change::concerns);
      if (isRead && change.effect != Effect.NONE) {
        labels.add("stale changed later by the job:" + change);
      }
    }
  }

  /** Returns the command without which a plan would read other rows than in the job; null if there is none. */
  synchronized Change missingIn(LogicalPlan plan) {
    if (changes.isEmpty()) {
      return null;
    }
    for (Set<String> names : DatasetNames.readBy(plan)) {
      Change missing = missingIn(names);
      if (missing != null) {
        return missing;
      }
    }
    return null;
  }

  private Change missingIn(Set<String> names) {
    Change missing = null;
    for (Change change : changes) {
      if (change.effect == Effect.EMPTIES || change.effect == Effect.CHANGES) {
        missing = change.concerns(names) ? change : missing;
      } else if (missing != null && change.effect != Effect.NONE && change.covers(names)) {
        boolean isAll = change.effect == Effect.REPLACES || missing.effect == Effect.EMPTIES;
        missing = isAll ? null : missing;
      }
    }
    return missing;
  }

  /** Adds a command, and labels the answers that have read its target. */
  synchronized void add(Change change) {
    changes.add(change);
    answers.forEach(answer -> answer.label(change));
  }

  /** Labels an answer about a query with the changes after the first ones, and with all later ones. */
  synchronized void label(LogicalPlan query, int first, List<String> labels) {
    Answer answer = new Answer(DatasetNames.readBy(query), labels);
    changes.subList(first, changes.size()).forEach(answer::label);
    answers.add(answer);
  }

  synchronized int size() {
    return changes.size();
  }
}
