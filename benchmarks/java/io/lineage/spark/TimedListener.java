package io.lineage.spark;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerApplicationStart;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.Distinct;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;
import org.apache.spark.sql.util.ExecutionListenerManager;
import org.apache.spark.sql.util.QueryExecutionListener;

/** The listener with a clock: its cost on the bus, and the cost of writing a plan outside of it. */
public final class TimedListener extends SparkListener {
  private static final String SESSION = "benchmark";

  private static final List<Long> EVENTS = new ArrayList<>();
  private static final List<Long> CPU = new ArrayList<>();
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static long cpuOnTheBus;

  private final LineageListener listener;
  private final Set<SparkSession> timed = new HashSet<>();

  public TimedListener(SparkConf conf) {
    listener = new LineageListener(conf);
  }

  @Override
  public void onApplicationStart(SparkListenerApplicationStart event) {
    new Clock().stop(() -> listener.onApplicationStart(event));
  }

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd event) {
    listener.onApplicationEnd(event);
  }

  @Override
  public void onOtherEvent(SparkListenerEvent event) {
    Clock clock = new Clock();
    clock.stop(() -> listener.onOtherEvent(event));
    if (event instanceof SparkListenerSQLExecutionStart) {
      clock.note();
    } else if (event instanceof SparkListenerSQLExecutionEnd) {
      clock.note();
      time(SparkReflection.session(ExecutionEnd.query((SparkListenerSQLExecutionEnd) event)));
    }
  }

  /** Measures also the calls of the listener as a QueryExecutionListener at the end of a query. */
  private void time(SparkSession session) {
    if (!timed.add(session)) {
      return;
    }
    ExecutionListenerManager manager = session.listenerManager();
    for (QueryExecutionListener ours : manager.listListeners()) {
      if (ours instanceof QueryListener) {
        manager.unregister(ours);
        manager.register(new TimedEnd(ours));
      }
    }
  }

  private static final class TimedEnd implements QueryExecutionListener {
    private final QueryExecutionListener listener;

    TimedEnd(QueryExecutionListener listener) {
      this.listener = listener;
    }

    @Override
    public void onSuccess(String name, QueryExecution query, long nanos) {
      Clock clock = new Clock();
      clock.stop(() -> listener.onSuccess(name, query, nanos));
      clock.addToLast();
    }

    @Override
    public void onFailure(String name, QueryExecution query, Exception failure) {
      listener.onFailure(name, query, failure);
    }
  }

  /** The elapsed time and the processor time of a call on the bus. */
  private static final class Clock {
    private long nanos;
    private long cpu;

    void stop(Runnable call) {
      long cpuStart = THREADS.getCurrentThreadCpuTime();
      long start = System.nanoTime();
      call.run();
      nanos = System.nanoTime() - start;
      cpu = THREADS.getCurrentThreadCpuTime() - cpuStart;
      synchronized (EVENTS) {
        cpuOnTheBus += cpu;
      }
    }

    void note() {
      synchronized (EVENTS) {
        EVENTS.add(nanos);
        CPU.add(cpu);
      }
    }

    /** Adds to the last event: an end is reported as an event, then to the query listener. */
    void addToLast() {
      synchronized (EVENTS) {
        int last = EVENTS.size() - 1;
        EVENTS.set(last, EVENTS.get(last) + nanos);
        CPU.set(last, CPU.get(last) + cpu);
      }
    }
  }

  /** Returns the nanoseconds on the bus of each START and END since the last call. */
  public static List<Long> takeEvents() {
    return take(EVENTS);
  }

  /** Returns the same as processor time, which excludes waits for a processor. */
  public static List<Long> takeProcessorTimes() {
    return take(CPU);
  }

  /** Returns the processor nanoseconds of the listener so far: calls on the bus, and threads. */
  public static long processorTime() {
    long sum;
    synchronized (EVENTS) {
      sum = cpuOnTheBus;
    }
    for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().startsWith("lineage-")) {
        sum += THREADS.getThreadCpuTime(thread.getThreadId());
      }
    }
    return sum;
  }

  /** Returns the processor nanoseconds of the whole driver so far. */
  public static long processorTimeOfTheDriver() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
  }

  private static List<Long> take(List<Long> from) {
    synchronized (EVENTS) {
      List<Long> taken = new ArrayList<>(from);
      from.clear();
      return taken;
    }
  }

  /** Writes the plan repeatedly, and returns the nanoseconds of each time. */
  public static List<Long> write(LogicalPlan plan, int times) {
    Plans plans = plans();
    List<Long> nanos = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      long start = System.nanoTime();
      plans.of(plan, SESSION);
      nanos.add(System.nanoTime() - start);
    }
    return nanos;
  }

  private static Plans plans() {
    SparkConf conf = new SparkConf(false);
    DroppedDocuments drops = new DroppedDocuments();
    TableLocations locations = new TableLocations(conf, drops);
    return new Plans(1 << 30, new Redaction(conf), locations, new EarlierPlans(drops));
  }

  public static int bytes(LogicalPlan plan) {
    return document(plan).length();
  }

  /** Encodes the plan on a thread like that of the encoder. */
  public static String document(LogicalPlan plan) {
    String[] document = new String[1];
    Runnable write =
        () -> {
          Plan written = plans().of(plan, SESSION);
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

  /** Returns the plan below additional operators. */
  public static LogicalPlan deep(LogicalPlan plan, int operators) {
    LogicalPlan deep = plan;
    for (int i = 0; i < operators; i++) {
      deep = new Distinct(deep);
    }
    return deep;
  }
}
