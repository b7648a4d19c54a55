"""Evaluation of the rows of each operator of a query's plan, from the relations up."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import TRANSFORMATION, Field, Loop
from lineage.columns.relation import (
    EMPTY,
    Column,
    Rows,
    either_column,
    of_source,
    of_sources,
    replace_placeholders,
)
from lineage.spark.columns.expressions import Scope, nested_in
from lineage.spark.columns.functions import FUNCTIONS
from lineage.spark.columns.generators import GENERATES
from lineage.spark.columns.operators import RELATIONAL, Operator, Rule, opaque_function
from lineage.spark.datasets.jdbc import jdbc_rows
from lineage.spark.datasets.relations import RELATIONS, is_metadata, jdbc_query, resolve_relation
from lineage.spark.datasets.resolver import Dataset, DatasetResolver, Unresolved
from lineage.spark.document.column_names import EQUAL_NAMES, equal_names
from lineage.sql import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.columns.algebra import Source
    from lineage.spark.document.arguments import Jdbc
    from lineage.spark.document.plan import Expression, Node, Plan

# Operators whose rows the driver created, or whose source is not in any plan.
WITHOUT_SOURCE = {
    "CommandResult",
    "EmptyRelation",
    "ExternalRDD",
    "LocalRelation",
    "LogicalRDD",
    "OneRowRelation",
    "Range",
}
OPERATORS: dict[str, Rule] = RELATIONAL | FUNCTIONS | GENERATES
REFERENCES = {"CTERelationRef", "InMemoryRelation", "UnionLoop", "UnionLoopRef", "WithCTE"}


@dataclass
class PlanWalk:
    """The rows of the operators of one plan, evaluated on demand.

    ``rows`` may initially contain rows determined by another plan.
    """

    plan: Plan
    names: DatasetResolver
    rows: dict[int, Rows] = field(default_factory=dict)
    unresolved: list[Unresolved] = field(default_factory=list)

    def rows_of(self, node: Node) -> Rows:
        """Return the rows of an operator, after evaluating the operators below it."""
        for below in self._unevaluated_operators(node):
            self.rows[below.index] = self._evaluate_node(below)
        return self.rows[node.index]

    def expression_scope(self, node: Node, over: tuple[int, ...] = ()) -> Scope:
        """Build the scope of an operator's expressions from the columns of its children.

        ``over`` are plans in its arguments that are used instead of its children.
        """
        children = over or node.children
        columns: dict[int, Column] = {}
        for index in children:
            child = self.plan.nodes[index]
            named = zip(self.plan.output_expressions(child), self.rows[index].columns, strict=False)
            columns |= {expr.id: column for expr, column in named if expr.id is not None}
        inputs = tuple(self.rows[index] for index in children)
        return Scope(self.plan, columns, self.rows, inputs)

    def _unevaluated_operators(self, node: Node) -> list[Node]:
        """Return the operators below that are not yet evaluated, children before parents."""
        nodes: dict[int, Node] = {}
        pending = [node]
        while pending:
            below = pending.pop()
            if below.index not in nodes and below.index not in self.rows:
                nodes[below.index] = below
                pending += self.plan.child_nodes(below)
                pending += self._definition_nodes(below)
        # operators of earlier plans have higher indexes than those that depend on them
        return sorted(nodes.values(), key=lambda below: (-below.level, below.index))

    def _definition_nodes(self, node: Node) -> Iterator[Node]:
        if node.op == "CTERelationRef":
            definition = node.args.get("cteId")
            for other in self.plan.nodes[: node.index]:
                if other.op == "CTERelationDef" and other.args.get("id") == definition:
                    yield other

    def _evaluate_node(self, node: Node) -> Rows:
        if node.rows_of is not None:
            return self.rows[node.rows_of]
        if node.op in RELATIONS:
            return self._relation_rows(node)
        if node.op in WITHOUT_SOURCE:
            return Rows((EMPTY,) * len(node.out))
        if node.op in REFERENCES:
            return self._referenced_rows(node)
        scope = self.expression_scope(node)
        rule = OPERATORS.get(node.op)
        if rule is None:
            self._own_up(node, "an operator whose columns are not known", node.cls)
            rule = opaque_function(TRANSFORMATION)
        rows = rule(Operator(node, scope))
        if scope.lost:
            self._own_up(node, "columns that no operator below outputs", ", ".join(scope.lost[:5]))
        return rows

    def _own_up(self, node: Node, reason: str, detail: str | None) -> None:
        self.unresolved.append(Unresolved(node.op, reason, detail))

    def _relation_rows(self, node: Node) -> Rows:
        if jdbc := jdbc_query(node):
            return self._query_rows(node, jdbc)
        if is_metadata(node):
            return Rows((EMPTY,) * len(node.out))
        resolved = resolve_relation(self.plan, node, self.names)
        datasets = [dataset.name for dataset in resolved if isinstance(dataset, Dataset)]
        output = self.plan.output_expressions(node)
        names = self.plan.output_names(node)
        unclear = algebra.ambiguous_names(names)
        if equal := equal_names(names):
            self._own_up(node, EQUAL_NAMES, ", ".join(equal))

        def column(index: int, expr: Expression, name: str) -> Column:
            if index in node.metadata_columns:
                return EMPTY
            fields = (Field(dataset, name, is_ambiguous=name in unclear) for dataset in datasets)
            return of_sources(fields, expr.type)

        return Rows(tuple(map(column, node.out, output, names)))

    def _query_rows(self, node: Node, jdbc: Jdbc) -> Rows:
        names = list(self.plan.output_names(node))
        try:
            return jdbc_rows(jdbc, names)
        except Unreadable as error:
            self._own_up(node, "a query whose columns are not known", str(error))
            return Rows((EMPTY,) * len(names))

    def _referenced_rows(self, node: Node) -> Rows:
        """Return rows of another operator of the plan, matched by position."""
        if node.op == "UnionLoop":
            return self._recursive_rows(node)
        if node.op == "UnionLoopRef":
            loop = _reference_id(node, "loopId")
            output = enumerate(self.plan.output_expressions(node))
            columns = tuple(of_source(Loop(loop, place), expr.type) for place, expr in output)
            return Rows(columns, algebra.of_source(Loop(loop, -1)))
        referenced = self._referenced_node(node)
        return self.rows[referenced] if referenced in self.rows else Rows((EMPTY,) * len(node.out))

    def _referenced_node(self, node: Node) -> int | None:
        """Return the operator with the rows: a CTE definition, a cached plan, or WITH's query."""
        if node.op == "CTERelationRef":
            return next((definition.index for definition in self._definition_nodes(node)), None)
        places = node.inner if node.op == "InMemoryRelation" else node.children
        return places[-1] if places else None

    def _recursive_rows(self, node: Node) -> Rows:
        """Evaluate a recursive query: apply its recursive part until the result stops growing."""
        loop = _reference_id(node, "id")
        first, again = (self.rows[index] for index in node.children)
        rows = first
        while True:
            grown = _merge_rows(
                first, replace_placeholders(again, partial(_round_before, loop, rows))
            )
            if grown == rows:
                return rows
            rows = grown


def _reference_id(node: Node, name: str) -> int:
    return node.get_argument(name, int) or 0


def _merge_rows(first: Rows, other: Rows) -> Rows:
    pairs = zip(first.columns, other.columns, strict=False)
    columns = tuple(map(either_column, pairs))
    return Rows(columns, algebra.merge_deps([first.wide, other.wide]))


def _round_before(loop: int, rows: Rows, source: Source) -> Column | None:
    """Return the column of the previous iteration that a Loop source refers to."""
    if not isinstance(source, Loop) or source.id != loop:
        return None
    if source.place < 0:
        return Column(rows.wide)
    return nested_in(rows.columns[source.place], source)
