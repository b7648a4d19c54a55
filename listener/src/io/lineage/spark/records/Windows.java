package io.lineage.spark.records;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.OffsetWindowFunction;
import org.apache.spark.sql.catalyst.expressions.SpecifiedWindowFrame;
import org.apache.spark.sql.catalyst.expressions.UnboundedFollowing$;
import org.apache.spark.sql.catalyst.expressions.UnboundedPreceding$;
import org.apache.spark.sql.catalyst.expressions.WindowExpression;
import org.apache.spark.sql.catalyst.expressions.WindowFrame;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Window;

/** Windows: a row is made of itself and of the rows of its frame. */
final class Windows {
  private static final int EXPRESSIONS = 0;
  private static final int PARTITION = 1;
  private static final int ORDER = 2;

  /** Functions whose value depends on the size of the partition, whatever their frame is. */
  private static final Set<String> OF_PARTITION = new HashSet<>(Arrays.asList("NTile", "CumeDist", "PercentRank"));

  private final Rewriter rewriter;

  Windows(Rewriter rewriter) {
    this.rewriter = rewriter;
  }

  Provenance window(Window window) {
    List<Expression> functions = Seqs.list(Catalyst.argument(window, EXPRESSIONS));
    rewriter.determinism.check(functions);
    Rewriter copy = rewriter.copy();
    Provenance child = rewriter.rewrite(window.child());
    Provenance rows = child.through(Catalyst.withChildren(window, java.util.Collections.singletonList(child.plan)));
    if (child.columns.isEmpty() || !rewriter.payload.includesInfluences()) {
      return labelled(rows);
    }
    Set<WindowFrame> frames = frames(functions);
    boolean isPartition = frames.stream().anyMatch(Windows::isUnbounded);
    if (isPartition && !rewriter.payload.isSmall()) {
      return partition(window, rows, copy.rewrite(window.child()));
    }
    Provenance result = rows;
    for (WindowFrame frame : frames) {
      result = framed(window, frame, result, rows);
    }
    return result;
  }

  private Provenance labelled(Provenance rows) {
    if (!rows.columns.isEmpty()) {
      rewriter.labels.add(Labels.Effect.SAMPLED, "window", "own row only");
    }
    return rows;
  }

  /** The partition as a group: an array in each of its rows would take the square of its size. */
  private Provenance partition(Window window, Provenance rows, Provenance copy) {
    List<Expression> keys = Seqs.list(Catalyst.argument(window, PARTITION));
    Groups groups = Groups.of(rewriter.payload, keys, copy);
    List<Expression> conditions = new ArrayList<>();
    for (int index = 0; index < keys.size(); index++) {
      conditions.add(new EqualNullSafe(keys.get(index), groups.keys.get(index)));
    }
    return groups.join(rewriter.payload, rows, conditions, Catalyst.output(window));
  }

  /** Adds the rows of a frame, as a window over the provenance of the rows. */
  private Provenance framed(Window window, WindowFrame frame, Provenance result, Provenance rows) {
    Object order = Catalyst.argument(window, ORDER);
    Object partition = Catalyst.argument(window, PARTITION);
    Expression spec = Catalyst.expression("WindowSpecDefinition", partition, order, frame);
    List<NamedExpression> aggregates = new ArrayList<>();
    Map<Integer, NamedExpression> merged = new TreeMap<>();
    rows.columns.forEach(
        (column, attribute) -> {
          Expression own = rewriter.payload.orNone(result.columns.get(column));
          Expression others = over(rewriter.payload.aggregate(attribute), spec, aggregates);
          Expression both = rewriter.payload.merge(own, rewriter.payload.orNone(others));
          merged.put(column, Provenance.named(column, both));
        });
    LogicalPlan framed = Catalyst.plan("Window", Seqs.of(aggregates), partition, order, result.plan);
    List<Attribute> output = Seqs.concat(Catalyst.output(window), rows.attributes());
    return Provenance.project(output, merged, framed);
  }

  /** Replaces each aggregate of an expression by the attribute of a window function. */
  private static Expression over(Expression expression, Expression spec, List<NamedExpression> aggregates) {
    if (expression instanceof AggregateExpression) {
      Expression window = Catalyst.expression("WindowExpression", expression, spec);
      NamedExpression named = Expressions.alias(window, "__frame");
      aggregates.add(named);
      return named.toAttribute();
    }
    return (Expression) expression.mapChildren(child -> over(child, spec, aggregates));
  }

  private Set<WindowFrame> frames(List<Expression> functions) {
    Set<WindowFrame> frames = new LinkedHashSet<>();
    for (Expression function : functions) {
      Catalyst.transform(
          function,
          each -> {
            if (each instanceof WindowExpression) {
              frames.add(frame((WindowExpression) each));
            }
            return each;
          });
    }
    return frames;
  }

  private WindowFrame frame(WindowExpression window) {
    Expression function = window.windowFunction();
    boolean needsPartition =
        function instanceof OffsetWindowFunction || OF_PARTITION.contains(function.getClass().getSimpleName());
    if (needsPartition) {
      rewriter.labels.add(Labels.Effect.SUPERSET, "window", "partition of " + function.prettyName());
      return unbounded();
    }
    return window.windowSpec().frameSpecification();
  }

  private static WindowFrame unbounded() {
    return new SpecifiedWindowFrame(
        (org.apache.spark.sql.catalyst.expressions.FrameType)
            Catalyst.object("org.apache.spark.sql.catalyst.expressions.RowFrame"),
        UnboundedPreceding$.MODULE$,
        UnboundedFollowing$.MODULE$);
  }

  private static boolean isUnbounded(WindowFrame frame) {
    return frame instanceof SpecifiedWindowFrame
        && ((SpecifiedWindowFrame) frame).lower() == UnboundedPreceding$.MODULE$
        && ((SpecifiedWindowFrame) frame).upper() == UnboundedFollowing$.MODULE$;
  }
}
