"""Complete traces in place of those that pass through filtered entities."""

from __future__ import annotations

from functools import singledispatch

from lineage.query.datasets import trace_datasets
from lineage.query.jobs import trace_jobs
from lineage.query.records import Dataset, Job, JobTrace, Trace
from lineage.query.session import Session


@singledispatch
def without_collapsed_paths(result: object, session: Session) -> object:
    """Return a result with all edges on its paths.

    A path through filtered datasets or jobs has no edges in the result. The complete trace has
    them, so that the same filters give the same result again.
    """
    return result


@without_collapsed_paths.register
def _complete_trace(result: Trace, session: Session) -> Trace:
    if not result.collapsed_paths:
        return result
    return trace_datasets(session, _name_of(result.root), result.direction, result.depth)


@without_collapsed_paths.register
def _complete_job_trace(result: JobTrace, session: Session) -> JobTrace:
    if not result.collapsed_paths:
        return result
    return trace_jobs(session, _name_of(result.root), result.direction, result.depth)


def _name_of(root: Dataset | Job) -> str:
    """Return the name that no other root has; several may have one full name."""
    return f"{root.namespace}:{root.name}"
