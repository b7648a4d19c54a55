package io.lineage.spark.dryrun;

import io.lineage.spark.records.PlanTrees;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogEvent;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogEventListener;

/**
 * Refuses changes of the session catalog that are no command. Before Spark 4.0, {@code saveAsTable} with the mode
 * overwrite drops the table before it plans its command, and a metastore would delete the files: this drop is skipped,
 * because the command that follows is diverted.
 */
final class CatalogGuard implements ExternalCatalogEventListener {
  private final DryRun run;
  private final Object catalog;

  private CatalogGuard(DryRun run, Object catalog) {
    this.run = run;
    this.catalog = catalog;
  }

  static void install(DryRun run, SparkSession session) {
    Object catalog = PlanTrees.member(PlanTrees.member(session, "sharedState"), "externalCatalog");
    PlanTrees.call(catalog, "addListener", new CatalogGuard(run, catalog));
  }

  @Override
  public void onEvent(ExternalCatalogEvent event) {
    String name = event.getClass().getSimpleName();
    if (name.equals("DropTablePreEvent") && isReplacing() && SkippedDrop.install(catalog)) {
      return;
    }
    if (name.endsWith("PreEvent")) {
      String change = name.substring(0, name.length() - "PreEvent".length());
      throw new Refused(run.rejected("It refused to change the catalog: " + change + ".").getMessage());
    }
  }

  /** Returns whether a frame replaces a table. Spark reports the drop in the thread that asks for it. */
  private static boolean isReplacing() {
    for (StackTraceElement each : Thread.currentThread().getStackTrace()) {
      boolean isWriter = each.getClassName().startsWith("org.apache.spark.sql.DataFrameWriter");
      if (isWriter && each.getMethodName().equals("saveAsTable")) {
        return true;
      }
    }
    return false;
  }

  /** An error of a kind that Spark's bus of catalog events does not swallow. */
  private static final class Refused extends LinkageError {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
      super(message);
    }
  }
}
