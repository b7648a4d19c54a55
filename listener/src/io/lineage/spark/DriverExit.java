package io.lineage.spark;

import java.lang.ref.WeakReference;
import java.util.Arrays;

/**
 * How the driver ended, as far as the JVM can know while it goes down: by what the main thread did, by who
 * called System.exit, and by what Python said of an exception. No exit code stands anywhere in the JVM.
 */
final class DriverExit {
  /** lineage/spark/launcher/driver_exit.py sets it: the class and the message of an exception, and frames below. */
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
   * Notes an exception that the main thread ends by. It goes on to where it would have gone: to the
   * group of the thread, which is who is told where a thread has no handler of its own.
   */
  static synchronized void watch() {
    Thread found = mainThread();
    if (found == null || found == main.get()) {
      return;
    }
    main = new WeakReference<>(found);
    ThreadGroup group = found.getThreadGroup();
    if (group != null && found.getUncaughtExceptionHandler() == group) {
      found.setUncaughtExceptionHandler(
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

  /** To be asked while the JVM goes down. */
  static DriverExit look() {
    String said = System.getProperty(PROPERTY);
    if (said != null) {
      return new DriverExit("FAIL", ofPython(said));
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

  /** Told to terminate goes before a failure, which may only be what followed. */
  private static String worse(String one, String other) {
    for (String outcome : new String[] {"ABORT", "FAIL", "UNKNOWN"}) {
      if (outcome.equals(one) || outcome.equals(other)) {
        return outcome;
      }
    }
    return null;
  }

  /** What it says that this thread ends the JVM; null where it does not. */
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

  /** SparkSubmit exits by itself where a Python or R driver had another exit code than 0. */
  private static boolean isSparkSubmit(String type) {
    return type.startsWith("org.apache.spark.deploy.SparkSubmit")
        || type.startsWith("org.apache.spark.util.CommandLine");
  }

  private static Failure ofPython(String said) {
    String text = LongText.read(said);
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
