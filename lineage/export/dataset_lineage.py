"""Rows and diagrams of dataset lineage and paths: nodes are datasets, edges have jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.export.diagram import DiagramBuilder
from lineage.export.registry import (
    OF_EDGES,
    Row,
    add_result,
    edge_attributes,
    named_node,
    result_columns,
    result_rows,
)
from lineage.query.paths import Paths
from lineage.query.records import CollapsedPath, Dataset, Edge, Trace

if TYPE_CHECKING:
    from collections.abc import Iterable

OF_TRACES = (*OF_EDGES, "filtered_out", "omitted_neighbours", "omitted")


@add_result.register
def _add_trace(result: Trace, builder: DiagramBuilder) -> None:
    for node in result.nodes:
        id = named_node(builder, node.dataset, node.omitted_neighbours)
        if not node.distance:
            builder.set_root(id, f"{result.direction} of {result.root.full_name}")
    add_edges(builder, _nearest_first(result))
    for row, way in _collapsed_rows(result):
        ends = [named_node(builder, end) for end in (way.near, way.far)]
        source, target = reversed(ends) if result.direction == "upstream" else ends
        attributes = edge_attributes(row)
        builder.add_edge(source, target, f"{way.filtered_out} hidden", attributes, "way")


@result_columns.register
def _trace_columns(result: Trace) -> tuple[str, ...]:
    return OF_TRACES


@result_rows.register
def _trace_rows(result: Trace) -> list[Row]:
    rows = [row for row, _ in _nearest_first(result)] + [row for row, _ in _collapsed_rows(result)]
    return sorted(rows, key=_row_place)


def _row_place(row: Row) -> tuple[Any, ...]:
    return row["distance"], row["source"], row["target"]


def _collapsed_rows(result: Trace) -> list[tuple[Row, CollapsedPath[Dataset]]]:
    """Return a row without a job for each path through filtered datasets."""
    nodes = {node.dataset: node for node in result.nodes}
    rows = []
    for way in result.collapsed_paths:
        ends = [way.near.full_name, way.far.full_name]
        source, target = reversed(ends) if result.direction == "upstream" else ends
        row: Row = dict.fromkeys(OF_TRACES)
        row |= {"direction": result.direction, "distance": nodes[way.far].distance,
                "source": source, "target": target, "filtered_out": way.filtered_out,
                "omitted_neighbours": nodes[way.far].omitted_neighbours,
                "omitted": result.omitted}  # fmt: skip
        rows.append((row, way))
    return rows


def _nearest_first(result: Trace) -> list[tuple[Row, Edge]]:
    distance = {node.dataset: node.distance for node in result.nodes}
    more = {node.dataset: node.omitted_neighbours for node in result.nodes}

    def edge_row(edge: Edge) -> Row:
        ends = {"upstream": [edge.target], "downstream": [edge.source]}
        near = ends.get(result.direction, [edge.source, edge.target])
        far = edge.target if near[0] == edge.source else edge.source
        step = step_row(edge, result.direction, min(distance[end] for end in near) + 1)
        flags = {
            "filtered_out": 0,
            "omitted_neighbours": more[far],
            "omitted": result.omitted,
        }
        return {**step, **flags}

    rows = [(edge_row(edge), edge) for edge in result.edges]
    return sorted(rows, key=lambda item: _row_place(item[0]))


@add_result.register
def _add_paths(result: Paths, builder: DiagramBuilder) -> None:
    for dataset in (result.start, result.goal):
        builder.set_root(named_node(builder, dataset), f"from {result.start} to {result.goal}")
    add_edges(builder, zip(result_rows(result), result.edges, strict=True))


@result_rows.register
def _paths_rows(result: Paths) -> list[Row]:
    """Return rows nearest first; the direction is upstream if the paths lead back."""
    distance = {node.dataset: node.distance for node in result.nodes}
    direction = "upstream" if result.reverse else "downstream"
    return [step_row(edge, direction, distance[edge.source] + 1) for edge in result.edges]


def step_row(edge: Edge, direction: str, distance: int) -> Row:
    """Return the row of an edge as a step of a trace."""
    return {"direction": direction, "distance": distance, **edge_row(edge)}


def edge_row(edge: Edge) -> Row:
    """Return the row of an edge between datasets."""
    return {
        "source": edge.source.full_name,
        "target": edge.target.full_name,
        "job": edge.job.full_name if edge.job else None,
        "runs": edge.runs,
        "first_seen": edge.first_seen,
        "last_seen": edge.last_seen,
        "state": edge.last_run.state if edge.last_run else None,
        "run_id": edge.last_run.run_id if edge.last_run else None,
        "declared": edge.declared,
        "confidence": edge.confidence,
        "stale": edge.stale,
    }


def add_edges(builder: DiagramBuilder, edges: Iterable[tuple[Row, Edge]]) -> None:
    """Add edges between datasets, each with its row."""
    for row, edge in edges:
        source, target = named_node(builder, edge.source), named_node(builder, edge.target)
        attributes = edge_attributes(row)
        sure = "" if edge.confidence == 1 else f", confidence {edge.confidence:g}"
        how = " (stale)" if edge.stale else "" if edge.is_observed else f" (declared{sure})"
        label = f"{edge.job.name}{how}" if edge.job else f"declared{sure}"
        key = edge.job.id if edge.job else None
        builder.add_edge(source, target, label, attributes, key, dashed=not edge.is_observed)
