"""Complete traces in place of those that pass through filtered entities."""

from __future__ import annotations

from functools import singledispatch

from lineage.query.datasets import trace_datasets
from lineage.query.jobs import trace_jobs
from lineage.query.records import JobTrace, Trace
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
    return trace_datasets(session, result.root.full_name, result.direction, result.depth)


@without_collapsed_paths.register
def _complete_job_trace(result: JobTrace, session: Session) -> JobTrace:
    if not result.collapsed_paths:
        return result
    return trace_jobs(session, result.root.full_name, result.direction, result.depth)
