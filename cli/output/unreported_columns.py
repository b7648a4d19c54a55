"""Steps of column lineage whose columns were not reported, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import job_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.records import Job, UnreportedColumns


def unreported_lines(steps: Sequence[UnreportedColumns]) -> list[str]:
    """Return a heading and a line for each step."""
    names = job_names.of_records(steps)
    return [
        "UNKNOWN, because columns were not reported",
        *(_step_line(each, names) for each in steps),
    ]


def _step_line(step: UnreportedColumns, names: Mapping[Job, str]) -> str:
    job = names[step.job] if step.job else ""
    if step.target is None:
        return f"{job}  reads {step.source}"
    by = f"declared by {job}" if step.declared and job else "declared" if not job else f"by {job}"
    return f"{step.target}  from {step.source} {by}"
