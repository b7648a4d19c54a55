package io.lineage.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.execution.LogicalRDD;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * The plans that Spark discards between executions: the query that set a session variable, the plan of a
 * checkpoint, and the plan of a stream into memory. They are stored encoded, because references to Spark's
 * plans would prevent the cleanup of RDDs. Used only on the encoder's thread, which processes events in order.
 */
final class EarlierPlans {
  /** Limits the size of nested plans, as in a loop that makes each checkpoint from the previous one. */
  private static final int MAX_BYTES = 256 * 1024;

  private static final int MAX_DEPTH = 20;
  private static final int MAX_TOTAL = 16 * 1024 * 1024;
  private static final int ENTRY_BYTES = 200;

  /** The rows of a checkpoint whose plan is too large, or of which there are several candidates. */
  private static final Known UNKNOWN = new Known(null, 0, LastJobs.NO_RDD, 0);

  private final DroppedDocuments drops;
  private final Map<Object, Known> sinks = new WeakHashMap<>();
  private final Map<String, Known> known = new LinkedHashMap<>(16, 0.75f, true);
  private long total;

  /** The highest id of an RDD in the plans so far. Ids increase. */
  private int highestRdd = LastJobs.NO_RDD;

  private boolean isAnyRemoved;
  private boolean isAnyVariableSet;

  /** A plan and the index of a column. Without a plan, it is a value without source data. */
  static final class Known {
    final byte[] plan;
    final int column;

    /** The depth of the plans nested in it. */
    final int depth;

    /** The RDD of a checkpoint has a higher id, if its own is not known. */
    final int afterRdd;

    /** The start of the execution that read the sources of the rows or the value; 0 if there is none. */
    final long time;

    Known(Plan plan, int column) {
      this(plan, column, LastJobs.NO_RDD, 0);
    }

    private Known(Plan plan, int column, int afterRdd, long time) {
      this.plan = plan == null ? null : plan.json;
      this.column = column;
      this.depth = plan == null ? 0 : plan.depth;
      this.afterRdd = afterRdd;
      this.time = time;
    }

    private int size() {
      return ENTRY_BYTES + (plan == null ? 0 : plan.length);
    }
  }

  EarlierPlans(DroppedDocuments drops) {
    this.drops = drops;
  }

  /** Returns whether the command sets, creates or drops a variable. */
  static boolean concern(LogicalPlan command) {
    String name = command == null ? "" : ClassInfo.of(command).simpleName;
    return name.equals("SetVariable") || name.equals("CreateVariable") || name.equals("DropVariable");
  }

  /** Records a successful statement on variables. */
  void variables(LogicalPlan command, String session, Plans plans, long time) {
    if (ClassInfo.of(command).simpleName.equals("SetVariable")) {
      isAnyVariableSet = true;
      LogicalPlan query = SparkReflection.children(command).iterator().next();
      Plan plan = plans.of(query, session);
      Iterator<?> targets = ((Seq<?>) ClassInfo.element(command, "targetVariables")).iterator();
      for (int column = 0; targets.hasNext(); column++) {
        put(variable(session, name(targets.next())), plan.isWhole ? new Known(plan, column, LastJobs.NO_RDD, time) : null);
      }
      return;
    }
    boolean isMade = ClassInfo.of(command).simpleName.equals("CreateVariable");
    Object value = isMade ? ClassInfo.element(command, "defaultExpr") : null;
    boolean isPlain = value instanceof Expression && !refersToVariables((Expression) value);
    Iterator<LogicalPlan> named = SparkReflection.children(command).iterator();
    while (named.hasNext()) {
      put(variable(session, name(named.next())), isPlain ? new Known(null, 0) : null);
    }
  }

  /**
   * Records a checkpoint of the rows of this plan, by its RDD. Without one, as of a lazy checkpoint, it is
   * recorded by the ids of its columns. A filter, a semi join and a sort retain these, so that checkpoints of
   * different rows may have the same ids. The rows of two such checkpoints are unknown.
   */
  void checkpoint(LogicalPlan analyzed, Plan plan, int rdd, long time) {
    // A lazy checkpoint has read nothing yet.
    Known made = new Known(plan, 0, highestRdd, rdd == LastJobs.NO_RDD ? 0 : time);
    Known recorded = plan.isWhole && fits(made) ? made : UNKNOWN;
    String ids = ids(analyzed);
    if (rdd != LastJobs.NO_RDD) {
      put(key(rdd), recorded);
    } else if (ids != null) {
      put(ids, known.containsKey(ids) ? UNKNOWN : recorded);
    }
  }

  /** Records the plan of a stream if its sink is in memory. */
  void stream(Object sink, Plan plan) {
    if (sink != null && ClassInfo.of(sink).simpleName.equals("MemorySink") && fits(new Known(plan, 0))) {
      sinks.put(sink, new Known(plan, 0));
    }
  }

  /** Returns the earlier plan that computed the rows of an operator; null if it is unknown. */
  Known of(LogicalPlan plan) {
    if (plan instanceof LogicalRDD) {
      return checkpointOf((LogicalRDD) plan);
    }
    boolean isMemory = ClassInfo.of(plan).simpleName.equals("MemoryPlan");
    Object sink = isMemory ? ClassInfo.element(plan, "sink") : null;
    return sink == null ? null : sinks.get(sink);
  }

  private Known checkpointOf(LogicalRDD plan) {
    int rdd = plan.rdd().id();
    highestRdd = Math.max(highestRdd, rdd);
    Known earlier = known.get(key(rdd));
    boolean isComplete = drops.total() == 0 && !isAnyRemoved;
    String ids = earlier == null && isComplete ? ids(plan) : null;
    Known candidate = ids == null ? null : known.get(ids);
    if (candidate == null || candidate == UNKNOWN || rdd <= candidate.afterRdd) {
      return earlier;
    }
    put(ids, null); // the next checkpoint with these ids has another RDD
    put(key(rdd), candidate); // a copy of the operator has other ids but the same RDD
    return candidate;
  }

  private static String key(int rdd) {
    return "rdd " + rdd;
  }

  /** Returns the source of a variable; null if it is uncertain, because a lost document may have set it. */
  Known variableOf(String session, String name) {
    return drops.total() == 0 ? known.get(variable(session, name)) : null;
  }

  /** Returns whether the values of a statement may come from a variable that its plan does not contain. */
  boolean mayHideVariable(LogicalPlan parsed) {
    return (isAnyVariableSet || drops.total() > 0) && Immediate.hasParameters(parsed);
  }

  /** Returns whether VALUES in the statement may use a variable that was set, or the row of a loop. */
  boolean mayHaveVariableInValues(String statement, String session) {
    if (!isAnyVariableSet && drops.total() == 0) {
      return false;
    }
    Set<String> names = InlineTables.names(statement);
    return names == null || names.stream().anyMatch(name -> !isPlain(variableOf(session, "session." + name)));
  }

  /** Returns whether a variable has a value without source data. */
  private static boolean isPlain(Known variable) {
    return variable != null && variable.plan == null;
  }

  /** Returns the full name of a variable, from a reference to it or from its definition. */
  static String name(Object holder) {
    Object identifier = ClassInfo.element(holder, "identifier");
    if (!(identifier instanceof Identifier)) {
      return null;
    }
    List<String> parts = new ArrayList<>(Arrays.asList(((Identifier) identifier).namespace()));
    parts.add(((Identifier) identifier).name());
    return String.join(".", parts);
  }

  private static boolean refersToVariables(Expression expression) {
    if (ClassInfo.of(expression).simpleName.equals("VariableReference")) {
      return true;
    }
    Iterator<?> children = SparkReflection.children(expression).iterator();
    while (children.hasNext()) {
      if (refersToVariables((Expression) children.next())) {
        return true;
      }
    }
    return false;
  }

  private static String variable(String session, String name) {
    return "variable " + session + " " + name;
  }

  /** Returns the ids of a plan's columns; the operator that reads its checkpoint has the same ids. */
  private static String ids(LogicalPlan plan) {
    StringBuilder ids = new StringBuilder("ids");
    Iterator<Attribute> output = SparkReflection.output(plan).iterator();
    boolean any = output.hasNext();
    while (output.hasNext()) {
      ids.append(' ').append(output.next().exprId().id());
    }
    return any ? ids.toString() : null;
  }

  private static boolean fits(Known value) {
    return value.size() - ENTRY_BYTES <= MAX_BYTES && value.depth < MAX_DEPTH;
  }

  private void put(String key, Known value) {
    Known before = known.remove(key);
    total -= before == null ? 0 : before.size();
    if (value == null || !fits(value)) {
      return;
    }
    known.put(key, value);
    total += value.size();
    java.util.Iterator<Known> oldest = known.values().iterator();
    while (total > MAX_TOTAL && oldest.hasNext()) {
      total -= oldest.next().size();
      oldest.remove();
      isAnyRemoved = true;
    }
  }
}
