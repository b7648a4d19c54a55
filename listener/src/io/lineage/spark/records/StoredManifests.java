package io.lineage.spark.records;

import com.fasterxml.jackson.databind.JsonNode;
import io.lineage.spark.Manifest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;

/** The stored inputs of runs: the sets of files that their scans selected, and versions of tables. */
public final class StoredManifests {
  /** The sets of files of all runs, the newest first. */
  final List<Manifest> files = new ArrayList<>();

  private final List<JsonNode> versions = new ArrayList<>();

  private StoredManifests() {}

  /** Reads an object with {@code files}, in any order, and {@code versions}, those of the newest run first. */
  public static StoredManifests of(JsonNode json) {
    StoredManifests stored = new StoredManifests();
    for (JsonNode each : json.path("files")) {
      long newest = each.hasNonNull("newest") ? each.get("newest").asLong() : 0;
      stored.files.add(
          new Manifest(each.get("files").asLong(), each.get("bytes").asLong(), newest, each.get("digest").asText()));
    }
    stored.files.sort(Comparator.comparingLong(Manifest::newest).reversed());
    json.path("versions").forEach(stored.versions::add);
    return stored;
  }

  /**
   * Returns the versions of tables that the runs read which wrote a dataset, by the name of the table's location.
   *
   * @param written the names of the dataset; empty for the one of the question
   */
  Map<String, List<String>> versions(Collection<String> written) {
    Map<String, List<String>> result = new LinkedHashMap<>();
    for (JsonNode each : versions) {
      boolean isAsked = !each.hasNonNull("target");
      String target = each.path("target").asText();
      boolean isNamed = written.stream().anyMatch(name -> LocationNames.isEnd(target, name));
      boolean isOf = written.isEmpty() ? isAsked : !isAsked && isNamed;
      String location = each.get("dataset").asText();
      if (isOf && location.contains("/")) {
        String name = LocationNames.of(new Path(location));
        result.computeIfAbsent(name, key -> new ArrayList<>()).add(each.get("version").asText());
      }
    }
    return Collections.unmodifiableMap(result);
  }
}
