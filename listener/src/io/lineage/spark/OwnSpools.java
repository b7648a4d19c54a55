package io.lineage.spark;

import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The spools of the applications of this JVM. A program in the same process reads them, such as a notebook that
 * queries the lineage of its own writes. Called only on that program's thread.
 */
public final class OwnSpools {
  private static final Map<Path, WeakReference<Pipeline>> PIPELINES = new LinkedHashMap<>();

  private OwnSpools() {}

  /** Adds an application, whose files have names that begin with this path. */
  static synchronized void add(Path files, Pipeline pipeline) {
    PIPELINES.put(files, new WeakReference<>(pipeline));
  }

  /**
   * Waits, for at most this time, until the documents created so far are in their files. Returns the prefix of
   * the file names of each application, oldest application first.
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
