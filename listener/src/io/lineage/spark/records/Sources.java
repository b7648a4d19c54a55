package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;

/** The datasets that a plan reads, numbered in the order of their first leaf. */
final class Sources {
  private final Map<String, Integer> numbers = new LinkedHashMap<>();
  private final List<Scan> scans = new ArrayList<>();

  /** Returns the sources of a plan, with those in its subqueries. */
  static Sources of(LogicalPlan plan) {
    Sources sources = new Sources();
    Catalyst.transformLeaves(
        plan,
        leaf -> {
          if (isSource(leaf)) {
            sources.number(Scan.of(leaf));
          }
          return leaf;
        });
    return sources;
  }

  /** Returns whether a leaf has rows of its own. */
  static boolean isSource(LogicalPlan leaf) {
    return !(leaf instanceof OneRowRelation) && !leaf.getClass().getSimpleName().equals("CTERelationRef");
  }

  /** Returns the number of the dataset that a scan reads. */
  int number(Scan scan) {
    Integer known = numbers.putIfAbsent(scan.key(), scans.size());
    if (known == null) {
      scans.add(scan);
      return scans.size() - 1;
    }
    return known;
  }

  List<Scan> scans() {
    return scans;
  }
}
