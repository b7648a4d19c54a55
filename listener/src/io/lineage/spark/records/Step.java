package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.List;

/** An operator at which rows were observed, with the outcomes of the marked rows there. */
public final class Step {
  final List<String> conditions = new ArrayList<>();
  private final int number;
  private final String operator;
  private final String detail;
  private final List<Integer> inputs;
  private Long rows;
  private long alive;
  private final List<Long> passing = new ArrayList<>();

  Step(int number, String operator, String detail, List<Integer> inputs) {
    this.number = number;
    this.operator = operator;
    this.detail = detail;
    this.inputs = inputs;
  }

  /** Returns the name of the operator, such as `Filter`. */
  public String operator() {
    return operator;
  }

  /** Returns its condition, its grouping expressions or the name of its source. */
  public String detail() {
    return detail;
  }

  /** Returns the numbers of the steps whose rows it receives; steps are numbered from 0. */
  public List<Integer> inputs() {
    return inputs;
  }

  /** Returns the number of its output rows, or null if no marked row can reach it, so that it did not run. */
  public Long rows() {
    return rows;
  }

  /** Returns the marked rows that are part of its output, as bits. */
  public long alive() {
    return alive;
  }

  /** Returns the parts of a filter's condition that were observed, in their order. */
  public List<String> conditions() {
    return conditions;
  }

  /** Returns for each of the conditions the marked rows that are part of a row that meets it, as bits. */
  public List<Long> passing() {
    return passing;
  }

  String output() {
    return "lineage_step_" + number;
  }

  String input() {
    return "lineage_input_" + number;
  }

  void observed(long rows, long alive) {
    this.rows = rows;
    this.alive = alive;
  }

  void passed(long bits) {
    passing.add(bits);
  }
}
