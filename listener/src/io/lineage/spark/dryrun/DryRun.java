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

/** A dry run of an application: its question, its results, and the protection of its file systems. */
final class DryRun {
  static final String REQUEST = "spark.lineage.dryRun.request";
  static final String RESULT = "spark.lineage.dryRun.result";
  private static final String EXTENSIONS = "spark.sql.extensions";

  private static final WeakHashMap<SparkContext, DryRun> RUNS = new WeakHashMap<>();

  final Question question;
  final Results results;
  final List<Target> writes = new ArrayList<>();

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

  /** Returns the last write of this application whose target is a dataset, or null. */
  Target lastWriteOf(String dataset) {
    Target last = null;
    for (Target write : writes) {
      last = write.names.contains(dataset) ? write : last;
    }
    return last;
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
