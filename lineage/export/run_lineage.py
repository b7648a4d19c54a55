"""Rows and diagrams of run lineage: nodes are runs, edges are reads of datasets."""

from __future__ import annotations

from lineage.export.diagram import DiagramBuilder
from lineage.export.registry import (
    Row,
    add_result,
    named_node,
    result_columns,
    result_rows,
    source_node,
)
from lineage.query.records import Run
from lineage.query.run_records import RunDependency, RunLineage

OF_READS = ("direction", "distance", "reader", "dataset", "version", "writer", "job", "written",
            "state", "matched_by")  # fmt: skip


@add_result.register
def _add_run_lineage(result: RunLineage, builder: DiagramBuilder) -> None:
    """Add runs as nodes, because a dataset would connect all its readers with all its writers.

    A dataset is a node only if it is the root, or if its writer is not known.
    """
    downstream = result.direction == "downstream"
    jobs = {
        run.run_id: edge.job.name
        for edge in result.dependencies
        if edge.job and (run := edge.reader if downstream else edge.writer)
    }

    def run_node(run: Run) -> str:
        job = jobs.get(run.run_id)
        attributes = {"job": job, "state": run.state, "started_at": run.started_at,
                "ended_at": run.ended_at, "error": run.error}  # fmt: skip
        label = f"{job}, run {run.run_id}" if job else f"run {run.run_id}"
        return builder.add_node(("run", run.run_id), label, "run", attributes)

    if isinstance(result.root, Run):
        root = run_node(result.root)
        run_title = f"run {result.root.run_id}"
        title = f"runs {result.direction} of {run_title}"
    else:
        root = named_node(builder, result.root)
        title = f"{result.root.full_name} at {result.at}"
    builder.set_root(root, title)
    for edge, row in zip(result.dependencies, result_rows(result), strict=True):
        source = run_node(edge.writer) if edge.writer else source_node(builder, edge.dataset)
        target = run_node(edge.reader) if edge.reader else root
        version = f" version {edge.version}" if edge.version else ""
        attributes = {name: row[name] for name in row if name not in ("reader", "writer")}
        key = (edge.dataset.id, edge.version)
        builder.add_edge(source, target, f"{edge.dataset.full_name}{version}", attributes, key)


@result_columns.register
def _run_lineage_columns(result: RunLineage) -> tuple[str, ...]:
    return OF_READS


@result_rows.register
def _run_lineage_rows(result: RunLineage) -> list[Row]:
    def dependency_row(edge: RunDependency) -> Row:
        far = edge.reader if result.direction == "downstream" else edge.writer
        return {
            "direction": result.direction,
            "distance": edge.distance,
            "reader": edge.reader.run_id if edge.reader else None,
            "dataset": edge.dataset.full_name,
            "version": edge.version,
            "writer": edge.writer.run_id if edge.writer else None,
            "job": edge.job.full_name if edge.job else None,
            "written": edge.written,
            "state": far.state if far else None,
            "matched_by": edge.matched_by,
        }

    return [dependency_row(edge) for edge in result.dependencies]
