package io.lineage.spark.dryrun;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.WeakHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** A dry run of an application: its question, its results, and the protection of its file systems. */
final class DryRun {
  static final String REQUEST = "spark.lineage.dryRun.request";
  static final String RESULT = "spark.lineage.dryRun.result";
  private static final String EXTENSIONS = "spark.sql.extensions";

  private static final WeakHashMap<SparkContext, DryRun> RUNS = new WeakHashMap<>();

  final Question question;
  final Results results;
  final Changes changes = new Changes();
  volatile boolean hasDroppedFunction;
  private boolean isCatalogGuarded;
  private final List<Write> writes = new ArrayList<>();

  /** A write, and the number of changes before it. */
  static final class Write {
    final Target target;
    final int changesBefore;

    Write(Target target, int changesBefore) {
      this.target = target;
      this.changesBefore = changesBefore;
    }
  }

  private DryRun(Question question, Results results) {
    this.question = question;
    this.results = results;
  }

  /** Makes the application of a context a dry run, unless it already is one. */
  static synchronized DryRun install(SparkContext context) {
    DryRun run = RUNS.get(context);
    if (run == null) {
      String extensions = context.conf().get(EXTENSIONS, "");
      String ours = DryRunExtension.class.getName();
      if (!extensions.contains(ours)) {
        // The program may have set its own in the builder, in place of those of the command line.
        context.conf().set(EXTENSIONS, extensions.isEmpty() ? ours : extensions + "," + ours);
      }
      ReadOnly.protect(context.hadoopConfiguration());
      run = new DryRun(question(context.conf().get(REQUEST)), new Results(context.conf().get(RESULT)));
      RUNS.put(context, run);
      run.results.write();
    }
    return run;
  }

  /** Refuses changes of the catalog that sessions share. */
  synchronized void guardCatalog(SparkSession session) {
    if (!isCatalogGuarded) {
      CatalogGuard.install(this, session);
      isCatalogGuarded = true;
    }
  }

  /** Keeps a write, because rows of a later one may come from its target. */
  void remember(Target target) {
    writes.add(new Write(target, changes.size()));
  }

  /** Returns the last write of this application whose target is a dataset, or null. */
  Write lastWriteOf(String dataset) {
    Write last = null;
    for (Write write : writes) {
      last = write.target.names.contains(dataset) ? write : last;
    }
    return last;
  }

  /** Stops the application at a plan that reads a dataset that an earlier command would have changed. */
  void checkReads(LogicalPlan plan) {
    Change missing = changes.missingIn(plan);
    if (missing != null) {
      throw rejected("It did not execute " + missing + ", so that a later read of it would return other rows.");
    }
  }

  /** Adds an error to the results, and returns it to be thrown. */
  UnsupportedOperationException rejected(String reason) {
    String message = "Lineage: this is a dry run, which writes nothing. " + reason;
    results.add("errors", message);
    return new UnsupportedOperationException(message);
  }

  private static Question question(String path) {
    try {
      JsonNode request = new ObjectMapper().readTree(Files.readAllBytes(Paths.get(path)));
      return new Question(request);
    } catch (IOException e) {
      throw new UncheckedIOException("the question of the dry run cannot be read", e);
    }
  }
}
