package io.lineage.spark;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerApplicationStart;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.sql.catalyst.plans.logical.Distinct;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;

/** The listener with a clock around it: what it costs on the bus, and what writing a plan costs off it. */
public final class TimedListener extends SparkListener {
  private static final List<Long> EVENTS = new ArrayList<>();
  private static final List<Long> CPU = new ArrayList<>();
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final LineageListener listener;

  public TimedListener(SparkConf conf) {
    listener = new LineageListener(conf);
  }

  @Override
  public void onApplicationStart(SparkListenerApplicationStart event) {
    listener.onApplicationStart(event);
  }

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd event) {
    listener.onApplicationEnd(event);
  }

  @Override
  public void onOtherEvent(SparkListenerEvent event) {
    long cpuStart = THREADS.getCurrentThreadCpuTime();
    long start = System.nanoTime();
    listener.onOtherEvent(event);
    long nanos = System.nanoTime() - start;
    long cpu = THREADS.getCurrentThreadCpuTime() - cpuStart;
    if (event instanceof SparkListenerSQLExecutionStart || event instanceof SparkListenerSQLExecutionEnd) {
      synchronized (EVENTS) {
        EVENTS.add(nanos);
        CPU.add(cpu);
      }
    }
  }

  /** Nanoseconds on the bus of each START and END since the last call. */
  public static List<Long> takeEvents() {
    return take(EVENTS);
  }

  /** The same as processor time: without the waits for a core that others use. */
  public static List<Long> takeProcessorTimes() {
    return take(CPU);
  }

  private static List<Long> take(List<Long> from) {
    synchronized (EVENTS) {
      List<Long> taken = new ArrayList<>(from);
      from.clear();
      return taken;
    }
  }

  /** Nanoseconds that each of so many writings of the plan took. */
  public static List<Long> write(LogicalPlan plan, int times) {
    Redaction redaction = new Redaction(new SparkConf(false));
    List<Long> nanos = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      long start = System.nanoTime();
      Plan.of(plan, 1 << 30, redaction);
      nanos.add(System.nanoTime() - start);
    }
    return nanos;
  }

  public static int bytes(LogicalPlan plan) {
    return document(plan).length();
  }

  /** The plan as the encoder writes it, on a thread like the encoder's. */
  public static String document(LogicalPlan plan) {
    String[] document = new String[1];
    Runnable write =
        () -> {
          Plan written = Plan.of(plan, 1 << 30, new Redaction(new SparkConf(false)));
          document[0] = new String(written.json, StandardCharsets.UTF_8);
        };
    Thread encoder = new Thread(null, write, "encoder", Pipeline.STACK_BYTES);
    encoder.start();
    while (encoder.isAlive()) {
      try {
        encoder.join();
      } catch (InterruptedException e) {
        return null;
      }
    }
    return document[0];
  }

  /** The plan below so many more operators. */
  public static LogicalPlan deep(LogicalPlan plan, int operators) {
    LogicalPlan deep = plan;
    for (int i = 0; i < operators; i++) {
      deep = new Distinct(deep);
    }
    return deep;
  }
}
