"""Rows and diagrams of the order of jobs: a row for each job, an edge for each pair of jobs."""

from __future__ import annotations

from typing import Any

from lineage.export.diagram import DiagramBuilder
from lineage.export.registry import Row, add_result, result_columns, result_rows
from lineage.orchestration.job_rows import COLUMNS, job_rows
from lineage.orchestration.records import Plan


@add_result.register
def _add_plan(result: Plan, builder: DiagramBuilder) -> None:
    """Add the jobs, the critical path as roots, and the edges that others do not imply."""
    ids: dict[int, str] = {}
    critical = {job.id for job in result.critical_path}
    title = "order of jobs"
    if result.roots:
        title = f"jobs {result.direction} of {', '.join(root.full_name for root in result.roots)}"
    for each in result.jobs:
        attributes: dict[str, Any] = {
            "level": each.level,
            "seconds": each.seconds,
            "slack": each.slack,
            "last_successful_run": each.last_successful_run,
            "stale": each.stale,
        }
        name = each.job.full_name
        id = ids[each.job.id] = builder.add_node(("job", each.job.id), name, "job", attributes)
        if each.job.id in critical:
            builder.set_root(id, title)
    for edge in result.edges:
        if not edge.implied:
            builder.add_edge(
                ids[edge.before.id],
                ids[edge.after.id],
                ", ".join(reason.dataset.full_name for reason in edge.reasons),
                {
                    "written": max(reason.written for reason in edge.reasons),
                    "read": max(reason.read for reason in edge.reasons),
                },
                dashed=all(reason.declared for reason in edge.reasons),
            )


@result_columns.register
def _plan_columns(result: Plan) -> tuple[str, ...]:
    return COLUMNS


@result_rows.register
def _plan_rows(result: Plan) -> list[Row]:
    return job_rows(result)
