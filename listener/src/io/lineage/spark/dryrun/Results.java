package io.lineage.spark.dryrun;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The results of a dry run, in a file that is written again after each of them. */
final class Results {
  private final Path file;
  private final Map<String, List<Object>> results = new LinkedHashMap<>();

  Results(String file) {
    this.file = Paths.get(file);
    for (String kind : new String[] {"commands", "inputs", "traces", "followed", "errors"}) {
      results.put(kind, new ArrayList<>());
    }
  }

  /** Adds a result, and returns its number among those of its kind. */
  synchronized int add(String kind, Object result) {
    List<Object> all = results.get(kind);
    all.add(result);
    write();
    return all.size() - 1;
  }

  synchronized void write() {
    try {
      Files.write(file, new ObjectMapper().writeValueAsBytes(results));
    } catch (IOException e) {
      throw new UncheckedIOException("the results of the dry run cannot be written", e);
    }
  }
}
