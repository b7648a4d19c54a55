"""Runs that the answer of a query does not count yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import render, terminal

if TYPE_CHECKING:
    from lineage.query.session import Session


REMEDY = "Wait for lineage ingest, or run it again."


def describe_uncounted(jobs: int) -> str:
    """Return a sentence about jobs whose runs the summaries do not count yet."""
    counted = render.count_of(jobs, "job")
    return f"Runs of {counted} are not counted yet, and edges may be missing."


def report_uncounted(session: Session) -> None:
    """Report on stderr that a trace may lack edges, if the summaries do not count some runs yet."""
    from lineage.query.deferred import count_deferred_jobs

    if jobs := count_deferred_jobs(session.connection):
        terminal.write_line(f"{describe_uncounted(jobs)} {REMEDY}", err=True)
