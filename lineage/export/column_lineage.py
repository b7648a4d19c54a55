"""Rows and diagrams of column lineage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.export.diagram import DiagramBuilder
from lineage.export.registry import SEEN, Row, add_result, result_columns, result_rows
from lineage.query.records import Column, ColumnEdge, ColumnTrace, NestedColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

OF_COLUMNS = ("direction", "distance", "source", "source_column", "target", "target_column",
              "type", "subtype", "masking", *SEEN, "declared", "stale")  # fmt: skip


def column_node(builder: DiagramBuilder, column: Column) -> str:
    """Add a column (all columns if it has no name); return its id in the diagram."""
    attributes = {"dataset": column.dataset.full_name, "column": column.name}
    key = ("column", column.dataset.id, column.name)
    return builder.add_node(key, column.full_name, "column", attributes)


@add_result.register
def _column_trace(result: ColumnTrace, builder: DiagramBuilder) -> None:
    root = column_node(builder, result.root)
    builder.set_root(root, f"{result.direction} of {result.root.full_name}")
    add_column_edges(builder, result.root, result.edges, result.direction)
    add_nested(builder, result.root, result.edges, result.direction, result.nested)


def add_column_edges(
    builder: DiagramBuilder, root: Column, edges: Sequence[ColumnEdge], direction: str
) -> None:
    """Add edges between columns, and the edges between columns and whole datasets."""
    for edge in edges:
        add_column_edge(builder, edge, direction)
    met = [root, *(end for edge in edges for end in (edge.source, edge.target))]
    _add_dataset_edges(builder, list(dict.fromkeys(met)))


def add_column_edge(builder: DiagramBuilder, edge: ColumnEdge, direction: str) -> None:
    """Add an edge between columns, or between a column and a whole dataset."""
    source, target = column_node(builder, edge.source), column_node(builder, edge.target)
    kind = f"{edge.type} {edge.subtype}" if edge.subtype else edge.type
    row = column_row(edge, direction)
    attributes = {name: row[name] for name in row if not name.startswith(("source", "target"))}
    how = " (stale)" if edge.stale else "" if edge.runs else " (declared)"
    label = f"{kind}, {edge.job.name}{how}" if edge.job else f"{kind}, declared"
    key = edge.job.id if edge.job else None, edge.masking
    builder.add_edge(source, target, label, attributes, key, dashed=not edge.runs)


def add_nested(
    builder: DiagramBuilder,
    root: Column,
    edges: Sequence[ColumnEdge],
    direction: str,
    nested: Sequence[NestedColumn],
) -> None:
    """Add edges between a column and its nested columns, which the trace follows implicitly.

    They go as the data does: from a column that is written to one that is read.
    """
    written = {edge.target.id for edge in edges}
    read = {edge.source.id for edge in edges}
    (read if direction == "upstream" else written).add(root.id)
    for each in nested:
        for source, target in ((each.column, each.within), (each.within, each.column)):
            if source.id in written and target.id in read:
                label = "part of" if source == each.column else "has part"
                builder.add_edge(
                    column_node(builder, source),
                    column_node(builder, target),
                    "same column" if each.is_spelling else label,
                    {"type": "PART"},
                )


def _add_dataset_edges(builder: DiagramBuilder, met: Sequence[Column]) -> None:
    """Add edges from a whole dataset to its columns, which the trace follows implicitly."""
    whole = {column.dataset.id: column for column in met if column.name is None}
    for column in met:
        if column.name is not None and column.dataset.id in whole:
            source = column_node(builder, whole[column.dataset.id])
            builder.add_edge(
                source, column_node(builder, column), "each column", {"type": "COLUMN"}
            )


@result_columns.register
def _column_columns(result: ColumnTrace) -> tuple[str, ...]:
    return OF_COLUMNS


@result_rows.register
def _column_rows(result: ColumnTrace) -> list[Row]:
    return [column_row(edge, result.direction) for edge in result.edges]


def column_row(edge: ColumnEdge, direction: str) -> Row:
    """Return the row of an edge between columns."""
    return {
        "direction": direction,
        "distance": edge.distance,
        "source": edge.source.dataset.full_name,
        "source_column": edge.source.name,
        "target": edge.target.dataset.full_name,
        "target_column": edge.target.name,
        "type": edge.type,
        "subtype": edge.subtype,
        "masking": edge.masking,
        "job": edge.job.full_name if edge.job else None,
        "runs": edge.runs,
        "first_seen": edge.first_seen,
        "last_seen": edge.last_seen,
        "declared": edge.declared,
        "stale": edge.stale,
    }
