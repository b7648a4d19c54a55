package io.lineage.spark.dryrun;

import com.fasterxml.jackson.databind.JsonNode;
import io.lineage.spark.records.LocationNames;
import io.lineage.spark.records.StoredManifests;
import java.util.List;

/** The query of a dry run: rows of a table, or the outcomes of rows of one of its sources. */
final class Question {
  /** The name of the table, or an end of it. */
  final String table;

  /** The condition on the rows of the table, or null. */
  final String where;

  /** The source whose rows are followed, or null, and the condition on them. */
  final String source;

  final String sourceWhere;

  /** The number of rows to return of each source. */
  final int limit;

  /** The number of writes to go back. */
  final int depth;

  /** The inputs of the runs that wrote the table and its sources. */
  final StoredManifests manifests;

  Question(JsonNode request) {
    table = request.get("table").asText();
    where = text(request, "where");
    source = text(request, "source");
    sourceWhere = text(request, "source_where");
    limit = request.get("limit").asInt();
    depth = request.get("depth").asInt();
    manifests = StoredManifests.of(request.get("manifests"));
  }

  private static String text(JsonNode request, String name) {
    return request.hasNonNull(name) ? request.get(name).asText() : null;
  }

  /** Returns whether one of the names of a write's target is that of the table. */
  boolean isAbout(List<String> names) {
    return names.stream().anyMatch(name -> LocationNames.isEnd(name, table));
  }
}
