"""Types of jobs that change how the events of their runs are merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import json

if TYPE_CHECKING:
    from lineage.openlineage import Job

# The processing types of jobs without a natural end; equal to lineage.is_stream().
_STREAMS = frozenset({"STREAMING", "SERVICE"})


def is_stream(job: Job) -> bool:
    """Return whether the job runs until it is stopped."""
    job_type = job.facets.get("jobType")
    if job_type is None:
        return False
    facet = json.decode(job_type)
    return isinstance(facet, dict) and str(facet.get("processingType")).upper() in _STREAMS
