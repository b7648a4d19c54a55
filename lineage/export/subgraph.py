"""Rows and diagrams of the subgraph of datasets."""

from __future__ import annotations

from lineage.export.column_lineage import add_column_edge
from lineage.export.dataset_lineage import add_edges, edge_row
from lineage.export.diagram import DiagramBuilder
from lineage.export.registry import (
    OF_EDGES,
    Row,
    add_result,
    named_node,
    result_columns,
    result_rows,
)
from lineage.query.subgraph import Subgraph


@add_result.register
def _add_subgraph(result: Subgraph, builder: DiagramBuilder) -> None:
    for node in result.nodes:
        named_node(builder, node.dataset)
    add_edges(builder, zip(result_rows(result), result.edges, strict=True))
    for edge in result.column_edges:
        add_column_edge(builder, edge, "downstream")


@result_columns.register
def _subgraph_columns(result: Subgraph) -> tuple[str, ...]:
    return OF_EDGES[2:]


@result_rows.register
def _subgraph_rows(result: Subgraph) -> list[Row]:
    """Return one row for each edge between datasets."""
    return [edge_row(edge) for edge in result.edges]
