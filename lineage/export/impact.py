"""Rows and diagrams of impact results: dependent datasets or columns, with their use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.export.column_lineage import (
    OF_COLUMNS,
    add_column_edges,
    add_nested,
    column_node,
    column_row,
)
from lineage.export.dataset_lineage import add_edges, step_row
from lineage.export.diagram import DiagramBuilder
from lineage.export.registry import OF_EDGES, Row, add_result, result_columns, result_rows
from lineage.query.impact_records import Impact
from lineage.query.records import Column, ColumnEdge, Edge

if TYPE_CHECKING:
    from lineage.export.diagram import Value


@add_result.register
def _add_impact(result: Impact, builder: DiagramBuilder) -> None:
    """Add datasets with the counts of their use; jobs are on the edges."""
    title = f"impact of {result.root}"
    if isinstance(result.root, Column):
        builder.set_root(column_node(builder, result.root), title)
        edges = [edge for edge in result.edges if isinstance(edge, ColumnEdge)]
        add_column_edges(builder, result.root, edges, "downstream")
        add_nested(builder, result.root, edges, "downstream", result.nested)
        return
    for each in (result.itself, *result.datasets):
        attributes: dict[str, Value] = {
            "namespace": each.dataset.namespace,
            "name": each.dataset.name,
            "distance": each.distance,
            "owners": ", ".join(each.owners) or None,
            "tags": ", ".join(each.tags) or None,
            "last_written": each.last_written,
            "last_read": each.last_read,
            "writes": each.writes,
            "reads": each.reads,
            "last_fed": each.last_fed,
            "stale": each.stale,
        }
        key = ("dataset", each.dataset.id)
        id = builder.add_node(key, each.dataset.full_name, "dataset", attributes)
        if each is result.itself:
            builder.set_root(id, title)
    add_edges(builder, _of_impact(result))


@result_columns.register
def _impact_columns(result: Impact) -> tuple[str, ...]:
    return OF_COLUMNS if isinstance(result.root, Column) else OF_EDGES


@result_rows.register
def _impact_rows(result: Impact) -> list[Row]:
    if isinstance(result.root, Column):
        edges = [edge for edge in result.edges if isinstance(edge, ColumnEdge)]
        return [column_row(edge, "downstream") for edge in edges]
    return [row for row, _ in _of_impact(result)]


def _of_impact(result: Impact) -> list[tuple[Row, Edge]]:
    distance = {each.dataset: each.distance for each in (result.itself, *result.datasets)}
    edges = [edge for edge in result.edges if isinstance(edge, Edge)]
    return [(step_row(edge, "downstream", distance[edge.source] + 1), edge) for edge in edges]
