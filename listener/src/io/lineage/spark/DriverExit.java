package io.lineage.spark;

import java.lang.ref.WeakReference;
import java.util.Arrays;

/**
 * The outcome of the driver, as far as the JVM can determine it during shutdown: from the main thread, from the
 * caller of System.exit, and from an exception reported by Python. The JVM does not store the exit code.
 */
final class DriverExit {
  /**
   * The system property set by lineage/spark/launcher/driver_exit.py: class and message of an exception,
   * followed by its frames.
   */
  static final String PROPERTY = "io.lineage.spark.driverError";

  private static WeakReference<Thread> main = new WeakReference<>(null);
  private static volatile Throwable uncaught;

  final String outcome;
  final Failure failure;

  private DriverExit(String outcome, Failure failure) {
    this.outcome = outcome;
    this.failure = failure;
  }

  /**
   * Sets a handler that records an uncaught exception of the main thread and passes it to the thread group. The
   * group handles the exceptions of threads without a handler.
   */
  static synchronized void watch() {
    Thread current = mainThread();
    if (current == null || current == main.get()) {
      return;
    }
    main = new WeakReference<>(current);
    ThreadGroup group = current.getThreadGroup();
    if (group != null && current.getUncaughtExceptionHandler() == group) {
      current.setUncaughtExceptionHandler(
          (thread, thrown) -> {
            uncaught = thrown;
            group.uncaughtException(thread, thrown);
          });
    }
  }

  private static Thread mainThread() {
    ThreadGroup root = Thread.currentThread().getThreadGroup();
    while (root.getParent() != null) {
      root = root.getParent();
    }
    Thread[] threads = new Thread[root.activeCount() * 2 + 100];
    int count = root.enumerate(threads);
    return Arrays.stream(threads, 0, count)
        .filter(thread -> thread.getId() == 1 && thread.getName().equals("main"))
        .findFirst()
        .orElse(null);
  }

  /** Returns the outcome. Called during the shutdown of the JVM. */
  static DriverExit look() {
    String reported = System.getProperty(PROPERTY);
    if (reported != null) {
      return new DriverExit("FAIL", ofPython(reported));
    }
    if (uncaught != null) {
      return new DriverExit("FAIL", Failure.of(uncaught));
    }
    String outcome = null;
    for (StackTraceElement[] frames : Thread.getAllStackTraces().values()) {
      outcome = worse(outcome, cause(frames));
    }
    if (outcome != null) {
      return new DriverExit(outcome, null);
    }
    Thread of = main.get();
    boolean returned = of != null ? !of.isAlive() : mainThread() == null;
    return new DriverExit(returned ? "COMPLETE" : "UNKNOWN", null);
  }

  /** Returns the outcome that takes precedence: first that of a signal, which may cause a failure. */
  private static String worse(String one, String other) {
    for (String outcome : new String[] {"ABORT", "FAIL", "UNKNOWN"}) {
      if (outcome.equals(one) || outcome.equals(other)) {
        return outcome;
      }
    }
    return null;
  }

  /** Returns the outcome if these frames of a thread end the JVM; null if they do not. */
  private static String cause(StackTraceElement[] frames) {
    int at = 0;
    while (at < frames.length && !(isExit(frames[at]) && frames[at].getMethodName().equals("exit"))) {
      at++;
    }
    if (at == frames.length) {
      return null;
    }
    for (; at < frames.length; at++) {
      String type = frames[at].getClassName();
      if (type.startsWith("java.lang.Terminator")) {
        return "ABORT";
      }
      if (!isExit(frames[at]) && !type.startsWith("scala.sys.")) {
        return isSparkSubmit(type) ? "FAIL" : "UNKNOWN";
      }
    }
    return "UNKNOWN";
  }

  private static boolean isExit(StackTraceElement frame) {
    String type = frame.getClassName();
    return type.equals("java.lang.Shutdown")
        || type.equals("java.lang.Runtime")
        || type.equals("java.lang.System");
  }

  /** Returns whether SparkSubmit called exit, as it does if a Python or R driver failed. */
  private static boolean isSparkSubmit(String type) {
    return type.startsWith("org.apache.spark.deploy.SparkSubmit")
        || type.startsWith("org.apache.spark.util.CommandLine");
  }

  private static Failure ofPython(String reported) {
    String text = LongText.read(reported);
    int frames = text.indexOf("\n  File \"");
    String head = frames < 0 ? text : text.substring(0, frames);
    int colon = head.indexOf(": ");
    return colon < 0
        ? new Failure(head, "", text)
        : new Failure(head.substring(0, colon), head.substring(colon + 2), text);
  }

  void write(Redaction redaction, Json json) {
    json.key("driver").object().field("outcome", outcome);
    if (failure != null) {
      failure.write(redaction, json);
    }
    json.endObject();
  }
}
