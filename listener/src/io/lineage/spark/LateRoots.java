package io.lineage.spark;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.plans.logical.CommandResult;
import org.apache.spark.sql.execution.QueryExecution;

/**
 * Root executions whose start event follows the ends of the commands in them. The shell spark-sql assigns the id
 * of a statement, then runs its commands under this id as root, and only then starts the execution of their
 * result. The first command stands for the statement.
 */
final class LateRoots {
  private static final int MAX_GAP = 1_000;

  /** The ids below the highest one that have not started. A root that has ended is not among them. */
  private final Set<Long> missing = new HashSet<>();

  private final Map<Long, First> firsts = new HashMap<>();
  private long highest = -1;

  /** The first command of a root that has not started, or the last one if they run in sequence. */
  private static final class First {
    final long id;
    boolean failed;

    First(long id) {
      this.id = id;
    }
  }

  /** Records the start of an execution. Each id is added to {@code missing} at most once. */
  void started(long id) {
    for (long lower = Math.max(highest + 1, id - MAX_GAP); lower < id; lower++) {
      missing.add(lower);
    }
    highest = Math.max(highest, id);
    missing.remove(id);
  }

  /** Returns the execution that stands for a root: the root itself, or the first command of a late one. */
  long holder(long root) {
    First first = firsts.get(root);
    return first == null ? root : first.id;
  }

  /** Lets a command stand for its root if the root has not started. Returns whether it does. */
  boolean add(long root, long command) {
    if (!missing.contains(root)) {
      return false;
    }
    First first = new First(command);
    First before = firsts.put(root, first);
    first.failed = before != null && before.failed;
    return true;
  }

  void failed(long root) {
    First first = firsts.get(root);
    if (first != null) {
      first.failed = true;
    }
  }

  /** Returns whether commands of this root ran before its start. */
  boolean contains(long root) {
    return firsts.containsKey(root);
  }

  /**
   * Records the end of an execution. Returns whether it repeats its commands: it is their result, or it failed
   * because one of them did.
   */
  boolean endsAsRepetition(long id, QueryExecution query, boolean failed) {
    missing.remove(id);
    First first = firsts.remove(id);
    if (first == null || failed) {
      return first != null && first.failed;
    }
    return query != null && SparkFacts.analyzed(query) instanceof CommandResult;
  }
}
