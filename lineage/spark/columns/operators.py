"""Column rules for relational operators: their columns, and the sources that decide their rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import FILTER, GROUP_BY, JOIN, SORT, TRANSFORMATION, Deps, How
from lineage.columns.relation import Column, Rows, either_column
from lineage.spark.columns.structs import cast_column
from lineage.spark.document.arguments import ExpressionRef, Other
from lineage.spark.document.plan import iter_references

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lineage.spark.columns.expressions import Scope
    from lineage.spark.document.plan import Expression, Node


@dataclass(frozen=True)
class Operator:
    """An operator with the rows of its children and the scope of its expressions."""

    node: Node
    scope: Scope

    @property
    def input_rows(self) -> tuple[Rows, ...]:
        return self.scope.inputs

    def argument_expressions(self, *names: str) -> tuple[int, ...]:
        """Return the indexes of the expressions in these arguments."""
        args = self.node.args
        references = (iter_references(args.get(name), ExpressionRef) for name in names)
        return tuple(ref.index for refs in references for ref in refs)

    def argument_expression(self, name: str) -> Expression | None:
        """Return the expression of an argument, or None."""
        reference = self.node.get_argument(name, ExpressionRef)
        return self.scope.plan.exprs[reference.index] if reference else None

    def named_columns(self, *names: str) -> tuple[Column, ...]:
        """Return the columns of the expressions in these arguments, in order."""
        return tuple(map(self.scope.evaluate_column, self.argument_expressions(*names)))

    def argument_deps(self, how: How, *names: str) -> Deps:
        """Return the sources of the expressions in these arguments, after one more step."""
        return self.scope.apply_step(how, self.argument_expressions(*names))

    def row_deps(self, *more: Deps) -> Deps:
        """Return the sources that decide the rows of the inputs, merged with ``more``."""
        return algebra.merge_deps([*(rows.wide for rows in self.input_rows), *more])

    def output_columns(self, more: Mapping[int, Column] | None = None) -> tuple[Column, ...]:
        """Return the output columns: those of the inputs, and ``more`` by expression id."""
        own = more or {}
        return tuple(
            own[expr.id]
            if expr.id is not None and expr.id in own
            else self.scope.evaluate_column(index)
            for index, expr in zip(
                self.node.out, self.scope.plan.output_expressions(self.node), strict=True
            )
        )

    def attribute_ids(self, name: str) -> tuple[int, ...]:
        """Return the expression ids of the attributes in an argument."""
        exprs = (self.scope.plan.exprs[index] for index in self.argument_expressions(name))
        return tuple(expr.id for expr in exprs if expr.id is not None)


# The function of a tap, which records the rows of a frame and is always true: Tap.java.
_TAP = "lineage_tap"

Rule = Callable[[Operator], Rows]


def _handed_on(op: Operator) -> Rows:
    return Rows(op.output_columns(), op.row_deps())


def pass_through(how: How, *names: str) -> Rule:
    """Build the rule of an operator that keeps its columns, with rows decided by its arguments."""

    def keep_columns(op: Operator) -> Rows:
        return Rows(op.output_columns(), op.row_deps(op.argument_deps(how, *names)))

    return keep_columns


def _trace_filter(op: Operator) -> Rows:
    """Trace WHERE; a condition on several relations of one FROM is a join condition."""
    side = _join_sides(op)
    conditions: dict[How, list[int]] = {}
    for index in _split_conjuncts(op):
        sides = {side[id] for id in _attribute_ids(op, index) if id in side}
        conditions.setdefault(JOIN if len(sides) > 1 else FILTER, []).append(index)
    decided = (op.scope.apply_step(how, indexes) for how, indexes in conditions.items())
    return Rows(op.output_columns(), op.row_deps(*decided))


def _join_sides(op: Operator) -> dict[int, int]:
    """Map each column of an inner join below, by expression id, to its relation."""
    plan = op.scope.plan
    below = plan.nodes[op.node.children[0]]
    while below.op == "Filter":
        below = plan.nodes[below.children[0]]
    sides: dict[int, int] = {}
    pending = [below] if below.op == "Join" else []
    while pending:
        node = pending.pop()
        if node.op == "Join" and node.get_text("joinType") in ("Inner", "Cross"):
            pending += (plan.nodes[index] for index in node.children)
        else:
            sides |= {
                expr.id: node.index for expr in plan.output_expressions(node) if expr.id is not None
            }
    return sides


def _split_conjuncts(op: Operator) -> Iterator[int]:
    """Yield the terms of the condition's conjunction."""
    pending = list(op.argument_expressions("condition"))
    while pending:
        index = pending.pop()
        expr = op.scope.plan.exprs[index]
        if expr.cls == "And":
            pending += expr.children
        elif expr.function != _TAP:
            yield index


def _attribute_ids(op: Operator, index: int) -> set[int]:
    """Return the ids of the columns in an expression; an empty set if it contains a subquery."""
    ids, seen, pending = set(), set(), [index]
    while pending:
        place = pending.pop()
        expr = op.scope.plan.exprs[place]
        if expr.plan is not None:
            return set()
        if expr.is_attribute and expr.id is not None:
            ids.add(expr.id)
        elif place not in seen and expr.cls != "OuterReference":
            pending += expr.children
        seen.add(place)
    return ids


def _trace_project(op: Operator) -> Rows:
    return Rows(op.named_columns("projectList"), op.row_deps())


def _trace_aggregate(op: Operator) -> Rows:
    grouping = op.argument_deps(GROUP_BY, "groupingExpressions")
    return Rows(op.named_columns("aggregateExpressions"), op.row_deps(grouping))


def _trace_distinct(op: Operator) -> Rows:
    columns = op.output_columns()
    keys = algebra.merge_deps(column.deps for column in columns)
    return Rows(columns, op.row_deps(algebra.apply_step(GROUP_BY, keys)))


def _trace_window(op: Operator) -> Rows:
    return Rows((*op.input_rows[0].columns, *op.named_columns("windowExpressions")), op.row_deps())


def _trace_expand(op: Operator) -> Rows:
    """Trace rollups and UNPIVOT, which repeat each row with other expressions."""
    projections = op.node.get_argument("projections", tuple) or ()
    rounds = [
        [op.scope.evaluate_column(ref.index) for ref in iter_references(part, ExpressionRef)]
        for part in projections
    ]
    return Rows(by_place(rounds), op.row_deps())


def by_place(rounds: Iterable[Iterable[Column]]) -> tuple[Column, ...]:
    """Merge the columns at each index."""
    return tuple(either_column(same) for same in zip(*rounds, strict=False))


def _trace_union(op: Operator) -> Rows:
    """Trace UNION, which matches columns and fields of structs by position, not by name."""
    plan = op.scope.plan
    types = [
        [expr.type for expr in plan.output_expressions(plan.nodes[at])] for at in op.node.children
    ]
    parts = (
        [
            column if own == first else cast_column(column, own, first)
            for column, own, first in zip(rows.columns, part, types[0], strict=False)
        ]
        for rows, part in zip(op.input_rows, types, strict=True)
    )
    return Rows(by_place(parts), op.row_deps())


def _trace_set_operation(op: Operator) -> Rows:
    """Trace EXCEPT and INTERSECT: rows of the first input, compared with the second."""
    compared = [algebra.apply_step(JOIN, rows.all_deps) for rows in op.input_rows]
    return Rows(op.input_rows[0].columns, op.row_deps(*compared))


def _trace_join(op: Operator) -> Rows:
    """Trace joins of all types; the flag of an existence join depends on its condition."""
    condition = op.argument_deps(JOIN, "condition", "asOfCondition", "orderExpression")
    wide = op.row_deps(condition)
    kind = op.node.get_argument("joinType", Other)
    flags = iter_references(kind.args, ExpressionRef) if kind else ()
    exists = {op.scope.plan.exprs[flag.index].id or 0: Column(wide) for flag in flags}
    return Rows(op.output_columns(exists), wide)


def _lateral_join(op: Operator) -> Rows:
    subquery = op.argument_expression("right")
    if subquery is None or subquery.plan is None:
        return opaque_function(TRANSFORMATION)(op)
    right = op.scope.subquery_rows(subquery.plan)
    columns = (*op.input_rows[0].columns, *right.columns)
    return Rows(columns, op.row_deps(right.wide, op.argument_deps(JOIN, "condition")))


def _merge_rows(op: Operator) -> Rows:
    """Trace MERGE as a query: each instruction has a condition and zero or more rows to write."""
    names = ("matchedInstructions", "notMatchedInstructions", "notMatchedBySourceInstructions")
    width = len(op.node.out)
    merged: list[tuple[int, ...]] = []
    conditions: list[int] = []
    for index in op.argument_expressions(*names):
        condition, *values = op.scope.plan.exprs[index].children
        conditions.append(condition)
        merged += (tuple(values[at : at + width]) for at in range(0, len(values), width))
    columns = by_place([op.scope.evaluate_column(index) for index in row] for row in merged)
    return Rows(columns, op.row_deps(op.scope.apply_step(FILTER, conditions)))


def opaque_function(how: How, *grouping: str) -> Rule:
    """Build the rule of a function over rows: each output column may use every input column.

    The function may also drop or add rows. ``grouping`` are the arguments that define the groups of
    rows with which it is called.
    """

    def trace_function(op: Operator) -> Rows:
        function = op.node.get_argument("functionExpr", ExpressionRef)
        arguments = op.scope.plan.exprs[function.index].children if function else ()
        deps = (
            algebra.merge_deps(map(op.scope.deps_of, arguments))
            if arguments
            else op.scope.child_deps
        )
        column = Column(algebra.apply_step(how, deps))
        wide = op.row_deps(op.argument_deps(GROUP_BY, *grouping), algebra.apply_step(FILTER, deps))
        return Rows((column,) * len(op.node.out), wide)

    return trace_function


HANDED_ON = (
    "CTERelationDef",
    "CollectMetrics",
    "EventTimeWatermark",
    "GlobalLimit",
    "LimitAll",
    "LocalLimit",
    "Offset",
    "PipeOperator",
    "RebalancePartitions",
    "Repartition",
    "RepartitionByExpression",
    "ResolvedHint",
    "ReturnAnswer",
    "SQLFunctionNode",
    "Sample",
    "Subquery",
    "SubqueryAlias",
    "Tail",
    "UpdateEventTimeWatermarkColumn",
    "View",
)

RELATIONAL: dict[str, Rule] = dict.fromkeys(HANDED_ON, _handed_on) | {
    "Aggregate": _trace_aggregate,
    "AsOfJoin": _trace_join,
    "Deduplicate": pass_through(GROUP_BY, "keys"),
    "DeduplicateWithinWatermark": pass_through(GROUP_BY, "keys"),
    "Distinct": _trace_distinct,
    "Except": _trace_set_operation,
    "Expand": _trace_expand,
    "Filter": _trace_filter,
    "Intersect": _trace_set_operation,
    "Join": _trace_join,
    "LateralJoin": _lateral_join,
    "MergeRows": _merge_rows,
    "Project": _trace_project,
    "Sort": pass_through(SORT, "order"),
    "Union": _trace_union,
    "Window": _trace_window,
}
