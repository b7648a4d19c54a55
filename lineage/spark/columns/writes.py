"""The column lineage of the target of a command."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import FILTER, JOIN, NOTHING, Deps
from lineage.columns.compaction import MOST, ColumnLineage, bound_size
from lineage.columns.relation import either_column
from lineage.spark.columns.generated_columns import generated_columns
from lineage.spark.columns.plan_walk import PlanWalk
from lineage.spark.columns.row_level_commands import (
    COMMANDED,
    REWRITTEN,
    trace_delta_command,
    trace_rewritten,
)
from lineage.spark.commands.effects import is_text_file
from lineage.spark.datasets.resolver import Unresolved
from lineage.spark.document.arguments import ExpressionRef
from lineage.spark.document.column_names import EQUAL_NAMES, equal_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lineage.columns.relation import Column, Rows
    from lineage.spark.columns.expressions import Scope
    from lineage.spark.commands.effects import Effect, Output
    from lineage.spark.datasets.resolver import DatasetResolver
    from lineage.spark.document.plan import Expression, Node, Plan

# Commands that assign single columns instead of writing a query of all columns.
ASSIGNING = {
    "DeleteFromTable": {"condition": FILTER},
    "MergeIntoTable": {"mergeCondition": JOIN},
    "UpdateTable": {"condition": FILTER},
}


def merge_lineage(first: ColumnLineage | None, other: ColumnLineage | None) -> ColumnLineage | None:
    """Merge the column lineage of two writes of one execution into the same dataset."""
    if first is None or other is None:
        return first or other
    names = dict.fromkeys((*first.fields, *other.fields))
    parts = (first.fields, other.fields)
    return ColumnLineage(
        {name: algebra.merge_deps(part.get(name, NOTHING) for part in parts) for name in names},
        algebra.merge_deps([first.rows, other.rows]),
        first.is_widened or other.is_widened,
    )


def _unresolved_assignments(node: Node, outputs: Iterable[Output]) -> Iterator[Unresolved]:
    """Yield an unresolved entry for widened lineage: some columns list sources they do not have."""
    if any(output.columns and output.columns.is_widened for output in outputs):
        reason = f"more than {MOST:,} sources of columns: some are reported for all columns"
        yield Unresolved(node.op, reason)


class OutputColumns:
    """The column lineage of commands in one plan; ``known`` has rows determined by another plan."""

    def __init__(self, plan: Plan, names: DatasetResolver, known: Mapping[int, Rows]) -> None:
        self._plan = plan
        self._walk = PlanWalk(plan, names, dict(known))

    def with_column_lineage(self, node: Node, done: Effect) -> Effect:
        """Return the effect of a command, with the column lineage of its outputs."""
        if self._plan.truncated or not any(output.carries_rows for output in done.outputs):
            return done
        if node.op in REWRITTEN or node.op in COMMANDED:
            outputs = [
                replace(output, columns=bound_size(self._rewritten_columns(node, output)))
                for output in done.outputs
            ]
        elif node.op in ASSIGNING:
            lineage = self._assigned_columns(node)
            outputs = [replace(output, columns=bound_size(lineage)) for output in done.outputs]
        elif query := self._plan.written_query(node):
            rows = self._walk.rows_of(query)
            outputs = [
                replace(output, columns=bound_size(self._query_columns(node, query, output, rows)))
                for output in done.outputs
            ]
        else:
            return done
        unresolved = (
            *done.unresolved,
            *self._walk.unresolved,
            *_unresolved_assignments(node, outputs),
        )
        return replace(done, outputs=tuple(outputs), unresolved=unresolved)

    def _query_columns(self, node: Node, query: Node, output: Output, rows: Rows) -> ColumnLineage:
        """Return the columns of a query under their names in the target, matched by position."""
        names = self._plan.output_names(query)
        of_dataset = [column.name for column in output.dataset.columns]
        of_command = node.get_texts("outputColumnNames")
        is_text = is_text_file(output.dataset)
        candidates = (of_dataset,) if is_text else (of_command, of_dataset)
        target_names = next((known for known in candidates if len(known) == len(names)), names)
        if equal := equal_names(target_names):
            self._walk.unresolved.append(Unresolved(node.op, EQUAL_NAMES, ", ".join(equal)))
        written: dict[str, Column] = {}
        for name, column in zip(target_names, rows.columns, strict=False):
            known = name in equal and name in written
            written[name] = either_column([written[name], column]) if known else column
        fields = {name: column.deps for name, column in written.items()}
        return ColumnLineage(fields | generated_columns(self._plan, node, written), rows.wide)

    def _rewritten_columns(self, node: Node, output: Output) -> ColumnLineage:
        trace = trace_rewritten if node.op in REWRITTEN else trace_delta_command
        return ColumnLineage(*trace(node, self._walk, output.dataset.name))

    def _assigned_columns(self, node: Node) -> ColumnLineage:
        """Trace UPDATE, DELETE and MERGE: the assigned columns, and the conditions on rows."""
        for index in node.children:
            self._walk.rows_of(self._plan.nodes[index])
        for index in node.inner:
            self._walk.rows_of(self._plan.nodes[index])
        scope = self._walk.expression_scope(node)
        assigned: dict[str, list[Deps]] = {}
        for key, value in self._read_assignments(node):
            assigned.setdefault(key, []).append(scope.deps_of(value))
        rows = [self._walk.rows[index].wide for index in node.children]
        return ColumnLineage(
            {name: algebra.merge_deps(parts) for name, parts in assigned.items()},
            algebra.merge_deps([*rows, *self._condition_deps(node, scope)]),
        )

    def _read_assignments(self, node: Node) -> Iterator[tuple[str, int]]:
        """Yield the path of each assigned column, and the expression of its value."""
        target = self._plan.nodes[node.children[0]] if node.children else node
        unclear = algebra.ambiguous_names(
            expr.name or "" for expr in self._plan.output_expressions(target)
        )
        for expr in self._iter_expressions(node.expression_indexes):
            if expr.cls == "Assignment":
                parts = self._assignment_path(expr.children[0])
                yield (
                    algebra.column_path(parts, is_ambiguous=parts[0] in unclear),
                    expr.children[1],
                )

    def _iter_expressions(self, indexes: Iterable[int]) -> Iterator[Expression]:
        """Yield the expressions, and those within actions such as UPDATE SET."""
        for index in indexes:
            expr = self._plan.exprs[index]
            yield expr
            if expr.cls.endswith("Action"):
                yield from self._iter_expressions(expr.children)

    def _assignment_path(self, index: int) -> tuple[str, ...]:
        """Return the names of an assigned column and of the path to a nested field in it."""
        expr = self._plan.exprs[index]
        if expr.cls == "GetStructField" and expr.children:
            return (*self._assignment_path(expr.children[0]), expr.field or "")
        return (expr.name or expr.cls,)

    def _condition_deps(self, node: Node, scope: Scope) -> Iterator[Deps]:
        for name, how in ASSIGNING[node.op].items():
            if condition := node.get_argument(name, ExpressionRef):
                yield scope.apply_step(how, [condition.index])
        for expr in (self._plan.exprs[index] for index in node.expression_indexes):
            if expr.cls.endswith("Action"):
                conditions = (
                    child for child in expr.children if self._plan.exprs[child].cls != "Assignment"
                )
                yield scope.apply_step(FILTER, conditions)
