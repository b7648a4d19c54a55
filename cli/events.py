"""``lineage events``: the events of the log."""

from __future__ import annotations

import contextlib

import click

from lineage.errors import NotFound

from . import options
from .output import render

COLUMNS = ["received_at", "event_time", "event_type", "job", "run_id", "state", "reason"]


@click.command()
@click.option("--run", metavar="RUN|JOB|DATASET",
              help="Only events of this run, or of the last run of a job or dataset.")  # fmt: skip
@options.time_option("--since", "Only events of this time or later.")
@click.option("--rejected", is_flag=True, help="Only events that cannot be projected.")
@options.limit_option(20)
@click.option("--body", is_flag=True, help="Write the events as received, without other fields.")
@options.format_option(*render.ROWS)
@options.dsn
def events(
    run: str | None,
    since: str | None,
    rejected: bool,
    limit: int,
    body: bool,
    form: str,
    dsn: str | None,
) -> None:
    """List the newest events of the log, and whether they are in the graph.

    The state of an event is projected, pending, rejected (with the reason), or superseded by
    `lineage replay`.

    \b
    Examples:
      lineage events --rejected
      lineage events --run report_fleet_age
      lineage events --run 01990000-0000-7000-8000-000000000001 --body | jq .eventType
    """
    from lineage.database.connection import connect_migrated
    from lineage.eventlog.listing import list_events
    from lineage.query.names import resolve_run
    from lineage.query.session import Session
    from lineage.query.time_arguments import time_of

    since = since and time_of(since)
    with connect_migrated(dsn) as conn:
        if run is not None:
            with contextlib.suppress(NotFound):  # a run of the log may not be in the graph
                run = resolve_run(Session.over(conn), run)
        rows = list_events(conn, limit, run=run, since=since, rejected=rejected)
    render.emit_documents(rows, form, COLUMNS, bodies=body)
