package io.lineage.spark;

import java.io.IOException;

/**
 * What the driver does after it has stopped Spark: it may fail yet. One shutdown hook tells that, of the
 * last application that this JVM ran; those before were over.
 */
final class ExitReport {
  /** Tells the end of an application again. */
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

  /** Another application has begun: the one before is over. */
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
      // The JVM goes down, and nobody reads its log any more.
    }
  }

  private static synchronized Reporter current() {
    return last;
  }
}
