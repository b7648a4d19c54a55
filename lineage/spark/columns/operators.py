"""Operators of relational algebra: what each does to columns, and what decides its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import FILTER, GROUP_BY, JOIN, SORT, TRANSFORMATION, Deps, How
from lineage.columns.relation import Column, Rows, either
from lineage.spark.columns.structs import recast
from lineage.spark.document.arguments import ExpressionRef, Other
from lineage.spark.document.plan import references

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lineage.spark.columns.expressions import Scope
    from lineage.spark.document.plan import Expression, Node


@dataclass(frozen=True)
class Operator:
    """An operator with the rows of its children and the columns that its expressions can see."""

    node: Node
    scope: Scope

    @property
    def inputs(self) -> tuple[Rows, ...]:
        return self.scope.inputs

    def expressions(self, *names: str) -> tuple[int, ...]:
        """The expressions in these arguments, as indexes."""
        args = self.node.args
        found = (references(args.get(name), ExpressionRef) for name in names)
        return tuple(ref.index for refs in found for ref in refs)

    def expression(self, name: str) -> Expression | None:
        """The expression that an argument is."""
        found = self.node.get(name, ExpressionRef)
        return self.scope.plan.exprs[found.index] if found else None

    def named(self, *names: str) -> tuple[Column, ...]:
        """The columns that these arguments give, in order."""
        return tuple(map(self.scope.column, self.expressions(*names)))

    def deps(self, how: How, *names: str) -> Deps:
        """What the expressions in these arguments are made of, after one more step."""
        return self.scope.applied(how, self.expressions(*names))

    def wide(self, *more: Deps) -> Deps:
        """What decides the rows of the inputs, and more."""
        return algebra.merged([*(rows.wide for rows in self.inputs), *more])

    def output(self, more: Mapping[int, Column] | None = None) -> tuple[Column, ...]:
        """The columns of the inputs that it hands on, with those of its own by expression id."""
        own = more or {}
        return tuple(
            own[expr.id] if expr.id is not None and expr.id in own else self.scope.column(index)
            for index, expr in zip(self.node.out, self.scope.plan.output(self.node), strict=True)
        )

    def ids(self, name: str) -> tuple[int, ...]:
        """The expression ids of the attributes in an argument."""
        exprs = (self.scope.plan.exprs[index] for index in self.expressions(name))
        return tuple(expr.id for expr in exprs if expr.id is not None)


Rule = Callable[[Operator], Rows]


def _handed_on(op: Operator) -> Rows:
    return Rows(op.output(), op.wide())


def deciding(how: How, *names: str) -> Rule:
    """An operator that hands its columns on; expressions in its arguments decide its rows."""

    def rule(op: Operator) -> Rows:
        return Rows(op.output(), op.wide(op.deps(how, *names)))

    return rule


def _filter(op: Operator) -> Rows:
    """WHERE. What it says of several relations of one FROM is the condition of a join."""
    side = _sides(op)
    found: dict[How, list[int]] = {}
    for index in _conjuncts(op):
        told = {side[id] for id in _attributes(op, index) if id in side}
        found.setdefault(JOIN if len(told) > 1 else FILTER, []).append(index)
    decided = (op.scope.applied(how, indexes) for how, indexes in found.items())
    return Rows(op.output(), op.wide(*decided))


def _sides(op: Operator) -> dict[int, int]:
    """For each column of an inner join below, by expression id, which relation it is of."""
    plan = op.scope.plan
    below = plan.nodes[op.node.children[0]]
    while below.op == "Filter":
        below = plan.nodes[below.children[0]]
    found: dict[int, int] = {}
    pending = [below] if below.op == "Join" else []
    while pending:
        node = pending.pop()
        if node.op == "Join" and node.text("joinType") in ("Inner", "Cross"):
            pending += (plan.nodes[index] for index in node.children)
        else:
            found |= {expr.id: node.index for expr in plan.output(node) if expr.id is not None}
    return found


def _conjuncts(op: Operator) -> Iterator[int]:
    """The parts of the condition that all must hold."""
    pending = list(op.expressions("condition"))
    while pending:
        index = pending.pop()
        expr = op.scope.plan.exprs[index]
        if expr.cls == "And":
            pending += expr.children
        else:
            yield index


def _attributes(op: Operator, index: int) -> set[int]:
    """The ids of the columns in an expression; none where it holds a subquery."""
    found, seen, pending = set(), set(), [index]
    while pending:
        place = pending.pop()
        expr = op.scope.plan.exprs[place]
        if expr.plan is not None:
            return set()
        if expr.is_attribute and expr.id is not None:
            found.add(expr.id)
        elif place not in seen and expr.cls != "OuterReference":
            pending += expr.children
        seen.add(place)
    return found


def _project(op: Operator) -> Rows:
    return Rows(op.named("projectList"), op.wide())


def _aggregate(op: Operator) -> Rows:
    grouping = op.deps(GROUP_BY, "groupingExpressions")
    return Rows(op.named("aggregateExpressions"), op.wide(grouping))


def _distinct(op: Operator) -> Rows:
    columns = op.output()
    keys = algebra.merged(column.deps for column in columns)
    return Rows(columns, op.wide(algebra.applied(GROUP_BY, keys)))


def _window(op: Operator) -> Rows:
    return Rows((*op.inputs[0].columns, *op.named("windowExpressions")), op.wide())


def _expand(op: Operator) -> Rows:
    """Each row several times, with other expressions each time: rollups and UNPIVOT."""
    projections = op.node.get("projections", tuple) or ()
    rounds = [
        [op.scope.column(ref.index) for ref in references(part, ExpressionRef)]
        for part in projections
    ]
    return Rows(by_place(rounds), op.wide())


def by_place(rounds: Iterable[Iterable[Column]]) -> tuple[Column, ...]:
    """Columns at the same place become one."""
    return tuple(either(same) for same in zip(*rounds, strict=False))


def _union(op: Operator) -> Rows:
    """By place, also the fields of structs that have other names in another part."""
    plan = op.scope.plan
    types = [[expr.type for expr in plan.output(plan.nodes[at])] for at in op.node.children]
    parts = (
        [
            column if own == first else recast(column, own, first)
            for column, own, first in zip(rows.columns, part, types[0], strict=False)
        ]
        for rows, part in zip(op.inputs, types, strict=True)
    )
    return Rows(by_place(parts), op.wide())


def _compared(op: Operator) -> Rows:
    """EXCEPT and INTERSECT: rows of the first, chosen by comparing them with the second."""
    compared = [algebra.applied(JOIN, rows.all) for rows in op.inputs]
    return Rows(op.inputs[0].columns, op.wide(*compared))


def _join(op: Operator) -> Rows:
    """Joins of all types; the flag of an existence join tells whether its condition held."""
    condition = op.deps(JOIN, "condition", "asOfCondition", "orderExpression")
    wide = op.wide(condition)
    kind = op.node.get("joinType", Other)
    flags = references(kind.args, ExpressionRef) if kind else ()
    exists = {op.scope.plan.exprs[flag.index].id or 0: Column(wide) for flag in flags}
    return Rows(op.output(exists), wide)


def _lateral_join(op: Operator) -> Rows:
    subquery = op.expression("right")
    if subquery is None or subquery.plan is None:
        return opaque(TRANSFORMATION)(op)
    right = op.scope.subquery(subquery.plan)
    columns = (*op.inputs[0].columns, *right.columns)
    return Rows(columns, op.wide(right.wide, op.deps(JOIN, "condition")))


def _merge_rows(op: Operator) -> Rows:
    """MERGE as a query: each instruction has a condition, and the rows that it makes if any."""
    names = ("matchedInstructions", "notMatchedInstructions", "notMatchedBySourceInstructions")
    width = len(op.node.out)
    made: list[tuple[int, ...]] = []
    conditions: list[int] = []
    for index in op.expressions(*names):
        condition, *values = op.scope.plan.exprs[index].children
        conditions.append(condition)
        made += (tuple(values[at : at + width]) for at in range(0, len(values), width))
    columns = by_place([op.scope.column(index) for index in row] for row in made)
    return Rows(columns, op.wide(op.scope.applied(FILTER, conditions)))


def opaque(how: How, *grouping: str) -> Rule:
    """A function over whole rows: each of its columns may come from all columns it is given.

    It may also drop rows, or make more; ``grouping`` are the arguments that say what it sees at
    once.
    """

    def rule(op: Operator) -> Rows:
        function = op.node.get("functionExpr", ExpressionRef)
        given = op.scope.plan.exprs[function.index].children if function else ()
        deps = algebra.merged(map(op.scope.deps, given)) if given else op.scope.below
        column = Column(algebra.applied(how, deps))
        wide = op.wide(op.deps(GROUP_BY, *grouping), algebra.applied(FILTER, deps))
        return Rows((column,) * len(op.node.out), wide)

    return rule


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
    "Aggregate": _aggregate,
    "AsOfJoin": _join,
    "Deduplicate": deciding(GROUP_BY, "keys"),
    "DeduplicateWithinWatermark": deciding(GROUP_BY, "keys"),
    "Distinct": _distinct,
    "Except": _compared,
    "Expand": _expand,
    "Filter": _filter,
    "Intersect": _compared,
    "Join": _join,
    "LateralJoin": _lateral_join,
    "MergeRows": _merge_rows,
    "Project": _project,
    "Sort": deciding(SORT, "order"),
    "Union": _union,
    "Window": _window,
}
