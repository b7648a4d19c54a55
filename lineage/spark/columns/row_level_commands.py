"""Column lineage of MERGE, UPDATE and DELETE plans that list all columns, also unchanged ones.

Spark rewrites such a command of a connector into a query of all rows to write. The commands of
Delta Lake assign every column. A column's dependency on its own old value is removed, because it
does not describe an origin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import FILTER, IDENTITY, JOIN, NOTHING, Dependency, Deps, Field
from lineage.spark.document.arguments import ExpressionRef, Other, PlanRef, Schema
from lineage.spark.document.plan import iter_references

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.naming import DatasetName
    from lineage.spark.columns.plan_walk import PlanWalk
    from lineage.spark.document.plan import Node

REWRITTEN = {"ReplaceData", "WriteDelta"}
COMMANDED = {"DeleteCommand": FILTER, "MergeIntoCommand": JOIN, "UpdateCommand": FILTER}


def trace_rewritten(
    node: Node, walk: PlanWalk, target: DatasetName
) -> tuple[Mapping[str, Deps], Deps]:
    """Return the sources of each column of the target, and those of the row selection."""
    query = walk.plan.nodes[node.children[0]]
    rows = walk.rows_of(query)
    columns: dict[str, Deps] = {}
    wide = [rows.wide]
    for name, place in _row_columns(node):
        deps, condition = _column_at(walk, query, place)
        columns[name] = deps - {Dependency(Field(target, name), IDENTITY)}
        wide.append(condition)
    return columns, algebra.merge_deps(wide)


def trace_delta_command(
    node: Node, walk: PlanWalk, target: DatasetName
) -> tuple[Mapping[str, Deps], Deps]:
    """Return the sources of each assigned column, and those of the row selection."""
    plan = walk.plan
    over = tuple(
        ref.index for key in ("source", "target") if (ref := node.get_argument(key, PlanRef))
    )
    for index in (*over, *node.inner):
        walk.rows_of(plan.nodes[index])
    scope = walk.expression_scope(node, over)
    wide = [walk.rows[index].wide for index in over]
    if condition := node.get_argument("condition", ExpressionRef):
        wide.append(scope.apply_step(COMMANDED[node.op], [condition.index]))
    parts: dict[str, list[Deps]] = {}
    for name, value in _assigned_values(node, walk):
        if name is None:
            wide.append(scope.apply_step(FILTER, [value]))
        else:
            parts.setdefault(name, []).append(scope.deps_of(value))
    columns = {name: algebra.merge_deps(deps) for name, deps in parts.items()}
    unchanged = {name: frozenset([Dependency(Field(target, name), IDENTITY)]) for name in columns}
    return {name: columns[name] - unchanged[name] for name in columns}, algebra.merge_deps(wide)


def _assigned_values(node: Node, walk: PlanWalk) -> Iterator[tuple[str | None, int]]:
    """Yield assigned columns with their values; conditions of MERGE's clauses have column None."""
    exprs = walk.plan.exprs
    if node.op == "UpdateCommand" and (
        target := walk.plan.get_node(node.get_argument("target", PlanRef))
    ):
        values = iter_references(node.args.get("updateExpressions"), ExpressionRef)
        for column, value in zip(walk.plan.output_expressions(target), values, strict=False):
            yield column.name, value.index
    for expr in (exprs[index] for index in node.expression_indexes):
        if expr.cls.startswith("DeltaMergeInto"):
            for child in expr.children:
                names = exprs[child].names if exprs[child].cls == "DeltaMergeAction" else ()
                yield (".".join(names), exprs[child].children[0]) if names else (None, child)


def _row_columns(node: Node) -> Iterator[tuple[str, int]]:
    """Yield the columns of the target with their indexes in the query; a DELETE may have none."""
    projections = node.get_argument("projections", Other)
    row = projections.args.get("rowProjection") if projections else None
    if not isinstance(row, Other):
        return
    schema, places = row.args.get("schema"), row.args.get("colOrdinals")
    if isinstance(schema, Schema) and isinstance(places, tuple):
        for column, place in zip(schema.columns, places, strict=False):
            if isinstance(place, int):
                yield column.name, place


def _column_at(walk: PlanWalk, node: Node, place: int) -> tuple[Deps, Deps]:
    """Return the sources of the column at an index, and of the condition for it.

    ``UPDATE SET a = x WHERE c`` is a projection of ``if(c, x, a)``. With a subquery in c it is the
    union of the rows that satisfy c and of those that do not.
    """
    if node.op == "Union":
        parts = [_column_at(walk, walk.plan.nodes[index], place) for index in node.children]
        return algebra.merge_deps(deps for deps, _ in parts), algebra.merge_deps(
            how for _, how in parts
        )
    if node.op != "Project":
        return walk.rows[node.index].columns[place].deps, NOTHING
    exprs = walk.plan.exprs
    expr = exprs[node.expression_indexes[place]]
    value = exprs[expr.children[0]] if expr.cls == "Alias" else None
    if value and value.cls == "If" and exprs[value.children[2]].is_attribute:
        scope = walk.expression_scope(node)
        return scope.deps_of(value.children[1]), scope.apply_step(FILTER, value.children[:1])
    child = walk.plan.nodes[node.children[0]]
    below = [column.id for column in walk.plan.output_expressions(child)]
    if expr.is_attribute and expr.id in below:
        return _column_at(walk, child, below.index(expr.id))
    return walk.rows[node.index].columns[place].deps, NOTHING
