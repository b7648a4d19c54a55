"""``lineage overdue``: jobs whose next run is overdue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from . import options
from .output import render, terminal

if TYPE_CHECKING:
    from lineage.query.overdue import Overdue, OverdueJob

COLUMNS = ["job", "expected_by", "last_run", "state", "began", "median", "spread", "intervals"]
LIMIT = 50


@click.command("overdue")
@click.argument("time", required=False)
@options.limit_option(LIMIT, "Maximum number of jobs")
@options.format_option("text", *render.ROWS)
@options.dsn
def overdue_jobs(time: str | None, limit: int | None, form: str, dsn: str | None) -> None:
    """List jobs whose next run is overdue at TIME.

    A job is overdue if the time since the start of its last run exceeds the median of its last 20
    intervals by the largest of these: half the median, four times their spread, one minute. A job
    without a run for 20 times as long has been retired and is not listed, nor are jobs with fewer
    than five intervals, and streams. TIME is ISO 8601.
    [default: now]

    Where runs report nominal times (nominalTime), intervals are between these. Retries and
    backfills then do not count: runs that began after one of the same or a later nominal time, or
    much later after their own than other runs. Of runs without a nominal time, all starts count.
    Runs that follow each other under one parent run, such as the instances of a mapped task, have
    one start.

    \b
    Examples:
      lineage overdue
      lineage overdue 2026-01-31T03:00:00Z --format jsonl | jq -r .job
    """
    from lineage.query.overdue import find_overdue
    from lineage.query.session import Session

    with Session(dsn) as session:
        result = find_overdue(session, time, limit)
    if form == "text":
        terminal.write_fitting_lines(_overdue_lines(result))
    else:
        render.emit_rows([_overdue_row(each) for each in result.jobs], form, COLUMNS)
        if result.omitted:
            click.echo(f"{result.omitted:,} more; --limit 0 shows all.", err=True)


def _overdue_lines(result: Overdue) -> list[str]:
    lines = [
        f"{render.format_time(each.expected_by):<20}  {each.job.full_name}"
        f"  [last {render.format_time(each.last_run.started_at or each.last_run.event_time)}]"
        for each in result.jobs
    ]
    if result.omitted:
        lines.append(f"and {result.omitted:,} more; --limit 0 shows all")
    return lines or ["No job is overdue."]


def _overdue_row(each: OverdueJob) -> dict[str, object]:
    return {
        "job": each.job.full_name,
        "expected_by": each.expected_by,
        "last_run": each.last_run.run_id,
        "state": each.last_run.state,
        "began": each.last_run.started_at,
        "median": each.median,
        "spread": each.spread,
        "intervals": each.intervals,
    }
