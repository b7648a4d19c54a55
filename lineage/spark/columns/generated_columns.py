"""Columns that a table generates from others during a write; they are not in any plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import TRANSFORMATION
from lineage.columns.relation import EMPTY
from lineage.spark.document.arguments import ConnectorTable, PlanRef

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.columns.algebra import Deps
    from lineage.columns.relation import Column
    from lineage.spark.document.plan import Node, Plan


def generated_columns(plan: Plan, node: Node, written: Mapping[str, Column]) -> dict[str, Deps]:
    """Return the sources of generated columns that the query of a write does not contain.

    A source column that is not written is null.
    """
    table = _find_target(plan, node)
    if table is None:
        return {}
    known = {name.casefold(): column for name, column in written.items()}
    return {
        name: algebra.apply_step(
            TRANSFORMATION, algebra.merge_deps(_nested_column(known, path).deps for path in sources)
        )
        for name, sources in table.generated.items()
        if name.casefold() not in known
    }


def _find_target(plan: Plan, node: Node) -> ConnectorTable | None:
    """Return the table written by a command: an argument, or in a relation that is an argument."""
    relation = plan.get_node(node.get_argument("table", PlanRef)) or node
    return next((arg for arg in relation.args.values() if isinstance(arg, ConnectorTable)), None)


def _nested_column(known: Mapping[str, Column], path: tuple[str, ...]) -> Column:
    """Return the column, or its nested field, at a path of names."""
    column = known.get(path[0].casefold(), EMPTY) if path else EMPTY
    for name in path[1:]:
        column = column.nested_value(name)
    return column
