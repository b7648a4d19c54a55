"""Overwrites of some partitions that openlineage-spark reports as overwrites of the whole table.

The lifecycle facet has no other value for them. The name of the job has the command of the plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Raw, json

if TYPE_CHECKING:
    from lineage.events.explicit_sources import Access
    from lineage.openlineage import Facets, Job

_COMMAND = "overwrite_partitions_dynamic"
_LIFECYCLE = "lifecycleStateChange"
_MODE = "lineage_write"
_PARTITIONS = Raw(json.encode({"mode": "overwrite_partitions"}))


def with_modes(job: Job, accesses: list[Access]) -> list[Access]:
    """Return the accesses of an event with the mode that overwrites of such a job have."""
    if not _writes_partitions(job):
        return accesses
    return [
        (key, _add_mode(facets) if key[1] else facets, columns) for key, facets, columns in accesses
    ]


def _writes_partitions(job: Job) -> bool:
    """Return whether openlineage-spark names the job by the command that overwrites partitions.

    Its names are ``application.command.target`` or ``application.command``; only the application
    may have dots.
    """
    _, *command = job.key[1].split(".")
    if _COMMAND not in command[-2:]:
        return False
    job_type = job.facets.get("jobType")
    body = json.decode(job_type) if job_type is not None else None
    return isinstance(body, dict) and body.get("integration") == "SPARK"


def _add_mode(facets: Facets) -> Facets:
    """Return the facets of an output with the mode of its overwrite; a reported mode stays."""
    if _LIFECYCLE not in facets or _MODE in facets:
        return facets
    body = json.decode(facets[_LIFECYCLE])
    change = body.get(_LIFECYCLE) if isinstance(body, dict) else None
    return {**facets, _MODE: _PARTITIONS} if str(change).upper() == "OVERWRITE" else facets
