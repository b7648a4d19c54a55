package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Attribute;

/**
 * The scans of a plan, numbered. A scan is told by its source and by the ids of its attributes, which are others for
 * each scan of a table. Leaves with equal ids are copies of one, which Spark or the rewriter has made.
 */
final class ScanColumns {
  private final Map<List<Object>, Integer> numbers = new LinkedHashMap<>();
  private final List<Integer> sources = new ArrayList<>();

  /** Returns the number of a scan, a new one if it has none. */
  int add(Scan scan, int source) {
    List<Object> key = key(scan, source);
    Integer known = numbers.putIfAbsent(key, sources.size());
    if (known == null) {
      sources.add(source);
      return sources.size() - 1;
    }
    return known;
  }

  /** Returns the number of a scan, or null if it has none. */
  Integer find(Scan scan, int source) {
    return numbers.get(key(scan, source));
  }

  int sourceOf(int column) {
    return sources.get(column);
  }

  /** Returns the ids of the rows of a scan: its own, and those of scans of its source that the query does not have. */
  List<Long> idsOf(Scan scan, int source, Map<Integer, List<Long>> ids, Set<Integer> ofQuery) {
    Integer own = find(scan, source);
    List<Long> result = new ArrayList<>();
    ids.forEach(
        (column, each) -> {
          if (column.equals(own) || sourceOf(column) == source && !ofQuery.contains(column)) {
            result.addAll(each);
          }
        });
    return result;
  }

  private static List<Object> key(Scan scan, int source) {
    List<Object> attributes = new ArrayList<>();
    for (Attribute attribute : scan.output) {
      attributes.add(attribute.exprId());
    }
    return Arrays.asList(source, attributes);
  }
}
