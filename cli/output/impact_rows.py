"""Rows and JSON of ``lineage impact``."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lineage.query.impact_records import AffectedDataset, AffectedJob, Impact


def impact_object(impact: Impact) -> dict[str, Any]:
    """Return the whole result with full names."""
    return {
        "root": impact.root.full_name,
        "depth": impact.depth,
        "window_days": impact.window_days,
        "since": impact.since,
        "until": impact.until,
        "itself": _dataset_row(impact.itself),
        "datasets": [_dataset_row(each) for each in impact.datasets],
        "datasets_omitted": impact.datasets_omitted,
        "datasets_in_use": impact.datasets_in_use,
        "jobs": [_job_row(each) for each in impact.jobs],
        "jobs_omitted": impact.jobs_omitted,
        "owners": [dataclasses.asdict(each) for each in impact.owners],
        "unreported": [
            {
                "source": str(each.source),
                "job": str(each.job) if each.job else None,
                "target": str(each.target) if each.target else None,
            }
            for each in impact.unreported
        ],
        "unreported_omitted": impact.unreported_omitted,
    }


def list_rows(impact: Impact) -> list[dict[str, Any]]:
    """Return a row for each dataset, then one for each job."""
    return [
        *({"kind": "dataset", **_dataset_row(each)} for each in impact.datasets),
        *({"kind": "job", **_job_row(each)} for each in impact.jobs),
    ]


def _dataset_row(each: AffectedDataset) -> dict[str, Any]:
    return {
        "distance": each.distance,
        "name": each.dataset.full_name,
        "columns": each.columns,
        "owners": each.owners,
        "tags": each.tags,
        "last_written": each.last_written,
        "last_read": each.last_read,
        "writes": each.writes,
        "reads": each.reads,
        "last_fed": each.last_fed,
        "stale": each.stale,
    }


def _job_row(each: AffectedJob) -> dict[str, Any]:
    return {
        "distance": each.distance,
        "name": each.job.full_name,
        "type": each.type,
        "owners": each.owners,
        "tags": each.tags,
        "inputs": [str(read.dataset) for read in each.inputs],
        "stale_inputs": [str(read.dataset) for read in each.inputs if read.stale],
        "last_read": each.last_read,
        "reads": each.reads,
        "stale": each.is_stale,
        "last_run": each.last_run.event_time if each.last_run else None,
        "state": each.last_run.state if each.last_run else None,
        "run_id": each.last_run.run_id if each.last_run else None,
        "runs": each.runs,
        "declared": each.declared,
    }
