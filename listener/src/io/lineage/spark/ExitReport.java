package io.lineage.spark;

import java.io.IOException;

/**
 * The report of a driver that fails after it has stopped Spark. One shutdown hook sends it, for the last
 * application of this JVM. Earlier applications have ended before.
 */
final class ExitReport {
  /** Reports the end of an application again. */
  interface Reporter {
    void of(DriverExit exit) throws IOException, InterruptedException;
  }

  private static Reporter last;

  private ExitReport() {}

  /** Registers the application whose end the shutdown hook reports if the driver fails. */
  static synchronized void prepare(Reporter application) {
    if (last == null) {
      Runtime.getRuntime().addShutdownHook(new Thread(ExitReport::report, "lineage-exit-report"));
    }
    last = application;
  }

  /** Discards the registered application, because another one has started. */
  static synchronized void forget() {
    if (last != null) {
      last = exit -> {};
    }
  }

  private static void report() {
    try {
      DriverExit exit = DriverExit.look();
      Reporter application = current();
      if (exit.outcome.equals("FAIL")) {
        application.of(exit);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      // the log may be closed during shutdown
    }
  }

  private static synchronized Reporter current() {
    return last;
  }
}
