package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Union;

/** Unions: columns correspond by their position, so that each branch needs the same provenance columns. */
final class Unions {
  private Unions() {}

  static Provenance union(Rewriter rewriter, Union union) {
    List<Provenance> branches = new ArrayList<>();
    TreeSet<Integer> all = new TreeSet<>();
    for (LogicalPlan child : Catalyst.children(union)) {
      Provenance branch = rewriter.rewrite(child);
      branches.add(branch);
      all.addAll(branch.columns.keySet());
    }
    List<LogicalPlan> padded = new ArrayList<>();
    List<LogicalPlan> children = Catalyst.children(union);
    for (int index = 0; index < children.size(); index++) {
      padded.add(pad(rewriter.payload, branches.get(index), Catalyst.output(children.get(index)), all));
    }
    LogicalPlan plan = Catalyst.withChildren(union, padded);
    List<Attribute> output = Catalyst.output(plan);
    Map<Integer, Attribute> columns = new TreeMap<>();
    int position = output.size() - all.size();
    for (Integer column : all) {
      columns.put(column, output.get(position++));
    }
    return new Provenance(plan, columns);
  }

  private static LogicalPlan pad(
      Payload payload, Provenance branch, List<Attribute> output, TreeSet<Integer> all) {
    Map<Integer, NamedExpression> columns = new TreeMap<>();
    for (Integer column : all) {
      Attribute attribute = branch.columns.get(column);
      columns.put(column, Provenance.named(column, attribute == null ? payload.none() : attribute));
    }
    return Provenance.project(output, columns, branch.plan).plan;
  }
}
