package io.lineage.spark.records;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.util.CollectionAccumulator;
import org.apache.spark.util.TaskCompletionListener;

/**
 * Counts the rows of a task, and keeps the ids of sampled ones: at most so many, those with the smallest hashes. It
 * runs in tasks, and never fails. Spark drops the additions of failed tasks to the accumulator.
 */
public final class RowSampler implements UDF1<String, Boolean>, Serializable {
  private static final long serialVersionUID = 1L;

  /** Tasks of higher partitions keep fewer rows, so that all results together stay small. */
  private static final int UNLIMITED_PARTITIONS = 64;

  private final CollectionAccumulator<byte[]> results;
  private final int capacity;
  private transient Rows rows;

  /** Keeps all sampled rows if the capacity is negative. */
  RowSampler(CollectionAccumulator<byte[]> results, int capacity) {
    this.results = results;
    this.capacity = capacity;
  }

  /** Takes the hash and the ids of a sampled row as text, or null for another row. */
  @Override
  public Boolean call(String ids) {
    try {
      if (rows == null) {
        rows = begin(TaskContext.get());
      }
      rows.add(ids);
    } catch (RuntimeException e) { // an error of the recording is not one of the job
      rows = rows == null ? new Rows(0) : rows;
      rows.failures++;
    }
    return true;
  }

  private Rows begin(TaskContext task) {
    if (task == null) { // Spark evaluates the rows of the driver without a task
      return new Rows(0);
    }
    int partition = Math.max(UNLIMITED_PARTITIONS, task.partitionId() + 1);
    long limit = capacity < 0 ? Long.MAX_VALUE : Math.max(1, (long) capacity * UNLIMITED_PARTITIONS / partition);
    Rows begun = new Rows(limit);
    task.addTaskCompletionListener(
        new TaskCompletionListener() {
          @Override
          public void onTaskCompletion(TaskContext context) {
            try {
              results.add(begun.text(context).getBytes(StandardCharsets.UTF_8));
            } catch (RuntimeException e) {
              begun.failures++; // an exception would fail the task
            }
          }
        });
    return begun;
  }

  /** The rows of one attempt of a task. */
  private static final class Rows {
    private final long limit;
    private final long started = System.currentTimeMillis();
    private final TreeMap<Key, Integer> kept = new TreeMap<>();
    private long count;
    private long sampled;
    private long digest;
    private long failures;

    Rows(long limit) {
      this.limit = limit;
    }

    void add(String ids) {
      count++;
      if (ids == null) {
        return;
      }
      Key key = new Key(ids);
      sampled++;
      digest += key.hash;
      kept.merge(key, 1, Integer::sum);
      if (kept.size() > limit) {
        kept.pollLastEntry();
      }
    }

    /** Returns a line for the task, and one for each row that is kept. */
    String text(TaskContext task) {
      StringBuilder text = new StringBuilder();
      long[] numbers = {
        task.stageId(), task.partitionId(), task.taskAttemptId(), started, count, sampled, digest, failures
      };
      for (long number : numbers) {
        text.append(number).append(' ');
      }
      for (Map.Entry<Key, Integer> row : kept.entrySet()) {
        text.append('\n').append(row.getValue()).append(',').append(row.getKey().ids);
      }
      return text.toString();
    }
  }

  /** The hash of a row, as an unsigned number, and its ids. */
  private static final class Key implements Comparable<Key> {
    final long hash;
    final String ids;

    Key(String ids) {
      this.hash = Long.parseLong(ids.substring(0, ids.indexOf(',')));
      this.ids = ids;
    }

    @Override
    public int compareTo(Key other) {
      int order = Long.compareUnsigned(hash, other.hash);
      return order == 0 ? ids.compareTo(other.ids) : order;
    }
  }
}
