package io.lineage.spark;

import java.io.IOException;

/**
 * Reports a failure of the driver after it has stopped Spark. One shutdown hook does so, for the last
 * application of this JVM; earlier ones had ended before.
 */
final class ExitReport {
  /** Reports the end of an application again. */
  interface Reporter {
    void of(DriverExit exit) throws IOException, InterruptedException;
  }

  private static Reporter last;

  private ExitReport() {}

  static synchronized void prepare(Reporter application) {
    if (last == null) {
      Runtime.getRuntime().addShutdownHook(new Thread(ExitReport::tell, "lineage-exit-report"));
    }
    last = application;
  }

  /** Another application has started, so the previous one has ended. */
  static synchronized void forget() {
    if (last != null) {
      last = exit -> {};
    }
  }

  private static void tell() {
    try {
      DriverExit exit = DriverExit.look();
      Reporter application = current();
      if (exit.outcome.equals("FAIL")) {
        application.of(exit);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      // During shutdown the log is no longer read.
    }
  }

  private static synchronized Reporter current() {
    return last;
  }
}
