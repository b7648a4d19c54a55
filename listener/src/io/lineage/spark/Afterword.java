package io.lineage.spark;

import java.io.IOException;

/**
 * What the driver does after it has stopped Spark: it may fail yet. One shutdown hook tells that, of the
 * last application that this JVM ran; those before were over.
 */
final class Afterword {
  /** Tells the end of an application again. */
  interface Told {
    void of(DriverExit exit) throws IOException, InterruptedException;
  }

  private static Told last;

  private Afterword() {}

  static synchronized void prepare(Told application) {
    if (last == null) {
      Runtime.getRuntime().addShutdownHook(new Thread(Afterword::tell, "lineage-afterword"));
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
      Told application = current();
      if (exit.outcome.equals("FAIL")) {
        application.of(exit);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      // The JVM goes down, and nobody reads its log any more.
    }
  }

  private static synchronized Told current() {
    return last;
  }
}
