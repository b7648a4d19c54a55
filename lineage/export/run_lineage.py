"""Rows and diagrams of run lineage: nodes are runs, edges are reads of datasets."""

from __future__ import annotations

from lineage.export.diagram import DiagramBuilder
from lineage.export.registry import Row, add_result, named_node, result_columns, result_rows
from lineage.query.records import Run
from lineage.query.run_records import RunDependency, RunLineage

OF_READS = ("direction", "distance", "reader", "dataset", "version", "writer", "job", "written",
            "state", "matched_by")  # fmt: skip


@add_result.register
def _add_run_lineage(answer: RunLineage, builder: DiagramBuilder) -> None:
    """Add runs as nodes, because a dataset would connect all its readers with all its writers.

    A dataset is a node only if it is the root, or if its writer is not known.
    """
    downstream = answer.direction == "downstream"
    jobs = {
        run.run_id: link.job.name
        for link in answer.dependencies
        if link.job and (run := link.reader if downstream else link.writer)
    }

    def run_node(run: Run) -> str:
        job = jobs.get(run.run_id)
        attributes = {"job": job, "state": run.state, "started_at": run.started_at,
                "ended_at": run.ended_at, "error": run.error}  # fmt: skip
        label = f"{job}, run {run.run_id}" if job else f"run {run.run_id}"
        return builder.add_node(("run", run.run_id), label, "run", attributes)

    if isinstance(answer.root, Run):
        root = run_node(answer.root)
        run_title = f"run {answer.root.run_id}"
        title = f"runs {answer.direction} of {run_title}"
    else:
        root = named_node(builder, answer.root)
        title = f"{answer.root.full_name} at {answer.at}"
    builder.set_root(root, title)
    for link, row in zip(answer.dependencies, result_rows(answer), strict=True):
        source = run_node(link.writer) if link.writer else _source_node(builder, link)
        target = run_node(link.reader) if link.reader else root
        version = f" version {link.version}" if link.version else ""
        attributes = {name: row[name] for name in row if name not in ("reader", "writer")}
        key = (link.dataset.id, link.version)
        builder.add_edge(source, target, f"{link.dataset.full_name}{version}", attributes, key)


def _source_node(builder: DiagramBuilder, link: RunDependency) -> str:
    """Add a dataset without a known writer; its node differs from that of the root."""
    attributes = {"namespace": link.dataset.namespace, "name": link.dataset.name}
    key = ("source", link.dataset.id)
    return builder.add_node(key, f"{link.dataset.full_name} (source)", "dataset", attributes)


@result_columns.register
def _run_lineage_columns(answer: RunLineage) -> tuple[str, ...]:
    return OF_READS


@result_rows.register
def _run_lineage_rows(answer: RunLineage) -> list[Row]:
    def dependency_row(link: RunDependency) -> Row:
        far = link.reader if answer.direction == "downstream" else link.writer
        return {
            "direction": answer.direction,
            "distance": link.distance,
            "reader": link.reader.run_id if link.reader else None,
            "dataset": link.dataset.full_name,
            "version": link.version,
            "writer": link.writer.run_id if link.writer else None,
            "job": link.job.full_name if link.job else None,
            "written": link.written,
            "state": far.state if far else None,
            "matched_by": link.matched_by,
        }

    return [dependency_row(link) for link in answer.dependencies]
