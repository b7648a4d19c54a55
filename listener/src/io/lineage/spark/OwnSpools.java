package io.lineage.spark;

import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The spools of the applications of this JVM, for a program in the same process that reads them: a notebook
 * whose next question is about what it has just written. Called by that program's thread alone.
 */
public final class OwnSpools {
  private static final Map<Path, WeakReference<Pipeline>> PIPELINES = new LinkedHashMap<>();

  private OwnSpools() {}

  /** The files of an application begin with this path. */
  static synchronized void add(Path files, Pipeline pipeline) {
    PIPELINES.put(files, new WeakReference<>(pipeline));
  }

  /**
   * Waits, no longer than this, until the documents made by now are in their files. Returns what the names
   * of the files of each application begin with, oldest application first.
   */
  public static String[] flush(long millis) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    List<String> files = new ArrayList<>();
    for (Map.Entry<Path, WeakReference<Pipeline>> each : pipelines().entrySet()) {
      Pipeline pipeline = each.getValue().get();
      if (pipeline != null) {
        pipeline.flush(end);
      }
      files.add(each.getKey().toString());
    }
    return files.toArray(new String[0]);
  }

  private static synchronized Map<Path, WeakReference<Pipeline>> pipelines() {
    return new LinkedHashMap<>(PIPELINES);
  }
}
