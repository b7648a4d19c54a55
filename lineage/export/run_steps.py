"""Rows and diagrams of run lineage by job: nodes are jobs, edges are datasets."""

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
from lineage.query.run_steps import RunSteps

OF_STEPS = ("direction", "distance", "reader", "dataset", "writer", "runs", "run", "state",
            "first", "last", "matched_by", "perhaps", "since", "omitted")  # fmt: skip


@add_result.register
def _run_steps(result: RunSteps, builder: DiagramBuilder) -> None:
    downstream = result.direction == "downstream"
    if isinstance(result.root, Run):
        run_title = f"run {result.root.run_id}"
        title = f"jobs {result.direction} of {run_title}"
        attributes = {"state": result.root.state, "started_at": result.root.started_at,
                "ended_at": result.root.ended_at, "error": result.root.error}  # fmt: skip
        root = builder.add_node(("run", result.root.run_id), run_title, "run", attributes)
    else:
        title = f"{result.root.full_name} at {result.at}"
        root = named_node(builder, result.root)
    builder.set_root(root, title)
    for step, row in zip(result.steps, result_rows(result), strict=True):
        source = (
            named_node(builder, step.writer) if step.writer else source_node(builder, step.dataset)
        )
        target = named_node(builder, step.reader) if step.reader else root
        # The root run, not its job, is the near end of the first steps.
        if isinstance(result.root, Run) and step.distance == 1:
            source, target = (root, target) if downstream else (source, root)
        attributes = {name: row[name] for name in row if name not in ("reader", "writer")}
        builder.add_edge(source, target, step.dataset.full_name, attributes, step.dataset.id)


@result_columns.register
def _run_steps_columns(result: RunSteps) -> tuple[str, ...]:
    return OF_STEPS


@result_rows.register
def _run_steps_rows(result: RunSteps) -> list[Row]:
    return [
        {
            "direction": result.direction,
            "distance": step.distance,
            "reader": step.reader.full_name if step.reader else None,
            "dataset": step.dataset.full_name,
            "writer": step.writer.full_name if step.writer else None,
            "runs": step.runs,
            "run": step.run.run_id if step.run else None,
            "state": step.run.state if step.run else None,
            "first": step.first,
            "last": step.last,
            "matched_by": step.matched_by,
            "perhaps": step.perhaps,
            "since": step.since,
            "omitted": result.omitted,
        }
        for step in result.steps
    ]
