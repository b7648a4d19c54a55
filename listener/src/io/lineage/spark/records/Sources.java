package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;

/** The datasets that a plan reads, numbered in the order of their first leaf. */
final class Sources {
  /** The modes in which a malformed row has a consequence only if the malformed column is read. */
  private static final List<String> MODES = Arrays.asList("DROPMALFORMED", "FAILFAST");

  private final Map<List<Object>, Integer> numbers = new LinkedHashMap<>();

  /** The scans of each dataset that read different rows of it. */
  private final List<List<Scan>> scans = new ArrayList<>();

  /** Returns the sources of a plan, with those in its subqueries. */
  static Sources of(LogicalPlan plan) {
    Sources sources = new Sources();
    Catalyst.transformLeaves(
        plan,
        leaf -> {
          if (isSource(leaf)) {
            sources.add(Scan.of(leaf));
          }
          return leaf;
        });
    return sources;
  }

  /** Returns whether a leaf has rows of its own. */
  static boolean isSource(LogicalPlan leaf) {
    return !(leaf instanceof OneRowRelation) && !leaf.getClass().getSimpleName().equals("CTERelationRef");
  }

  private void add(Scan scan) {
    List<Scan> known = scans.get(number(scan));
    if (known.stream().noneMatch(scan::readsRowsOf)) {
      known.add(scan);
    }
  }

  /** Returns the number of the dataset that a scan reads. */
  int number(Scan scan) {
    Integer known = numbers.putIfAbsent(scan.key(), scans.size());
    if (known == null) {
      scans.add(new ArrayList<>(Collections.singletonList(scan)));
      return scans.size() - 1;
    }
    return known;
  }

  /** Returns the scans of a dataset that together read all of its rows that the plan reads. */
  List<Scan> scans(int number) {
    return scans.get(number);
  }

  boolean isByContent(int number) {
    return scans.get(number).get(0).isByContent();
  }

  /** Returns whether the rows of a dataset, or an error, depend on the columns that are read of it. */
  boolean dependsOnColumns(int number) {
    return scans.get(number).stream().anyMatch(scan -> MODES.contains(scan.parseMode()));
  }

  /** Returns the names of the datasets. Different ones that a name does not tell apart get a number after it. */
  List<String> names() {
    Map<String, Integer> counts = new HashMap<>();
    scans.forEach(each -> counts.merge(each.get(0).dataset.text, 1, Integer::sum));
    Map<String, Integer> last = new HashMap<>();
    List<String> names = new ArrayList<>();
    for (List<Scan> each : scans) {
      DatasetName name = each.get(0).dataset;
      boolean isNumbered = name.origin != null && counts.get(name.text) > 1;
      names.add(isNumbered ? name.text + " " + last.merge(name.text, 1, Integer::sum) : name.text);
    }
    return names;
  }
}
