"""Rows and diagrams of job lineage: an edge is a dataset written by one job and read by another."""

from __future__ import annotations

from typing import Any

from lineage.export.diagram import DiagramBuilder
from lineage.export.registry import (
    Row,
    add_result,
    edge_attributes,
    named_node,
    result_columns,
    result_rows,
)
from lineage.query.records import Dataset, Job, JobEdge, JobTrace

OF_JOBS = ("direction", "distance", "source", "target", "dataset", "written", "read", "stale",
           "depended", "declared", "filtered_out", "omitted_neighbours", "omitted")  # fmt: skip


@add_result.register
def _job_trace(result: JobTrace, builder: DiagramBuilder) -> None:
    for node in result.nodes:
        id = named_node(builder, node.job, node.omitted_neighbours)
        if not node.distance:
            builder.set_root(id, f"jobs {result.direction} of {result.root.full_name}")
    for row, near, far, label, key in _job_steps(result):
        ends = [named_node(builder, end) for end in (near, far)]
        source, target = reversed(ends) if result.direction == "upstream" else ends
        attributes = edge_attributes(row)
        dashed = bool(row["depended"] or row["declared"])
        builder.add_edge(source, target, label, attributes, key, dashed=dashed)


@result_columns.register
def _job_trace_columns(result: JobTrace) -> tuple[str, ...]:
    return OF_JOBS


@result_rows.register
def _job_trace_rows(result: JobTrace) -> list[Row]:
    return [row for row, *_ in _job_steps(result)]


def _job_steps(result: JobTrace) -> list[tuple[Row, Job | Dataset, Job | Dataset, str, Any]]:
    """Return a row for each edge and collapsed path, nearest first, with ends, label and key."""
    upstream = result.direction == "upstream"
    nodes = {node.job: node for node in result.nodes}

    def job_row(near: Job | Dataset, far: Job | Dataset, edge: JobEdge | None, hidden: int) -> Row:
        ends = [None if isinstance(end, Dataset) else end.full_name for end in (near, far)]
        source, target = reversed(ends) if upstream else ends
        step = nodes[near if edge else far].distance + (1 if edge else 0)
        dataset = edge.dataset.full_name if edge and edge.dataset else None
        return {"direction": result.direction, "distance": step, "source": source,
                "target": target, "dataset": dataset,
                "written": edge.written if edge else None, "read": edge.read if edge else None,
                "stale": edge.stale if edge else None,
                "depended": edge.depended if edge else None,
                "declared": edge.declared if edge else None, "filtered_out": hidden,
                "omitted_neighbours": nodes[far].omitted_neighbours,
                "omitted": result.omitted}  # fmt: skip

    steps: list[tuple[Row, Job | Dataset, Job | Dataset, str, Any]] = []
    for edge in result.edges:
        source, target = edge.source or result.root, edge.target or result.root
        near, far = (target, source) if upstream else (source, target)
        name = edge.dataset.full_name if edge.dataset else "runs after it"
        label = f"{name}{' (declared)' if edge.declared else ''}{' (stale)' if edge.stale else ''}"
        key = edge.dataset.id if edge.dataset else None
        steps.append((job_row(near, far, edge, 0), near, far, label, key))
    for way in result.collapsed_paths:
        cells = job_row(way.near, way.far, None, way.filtered_out)
        steps.append((cells, way.near, way.far, f"{way.filtered_out} hidden", "way"))
    return sorted(steps, key=lambda each: [
        each[0]["distance"], *(each[0][name] or "" for name in ("source", "target", "dataset"))
    ])  # fmt: skip
