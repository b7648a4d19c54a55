"""``lineage query at``: the writes visible in a dataset at a time."""

from __future__ import annotations

import click

from lineage.query.run_steps import trace_steps_at
from lineage.query.runs import trace_runs_at
from lineage.query.session import Session

from .. import options
from ..output import graph_formats
from . import run_lineage, run_steps


@click.command()
@click.argument("name", shell_complete=options.complete_dataset)
@click.argument("time", required=False)
@options.depth
@run_lineage.run_options
@options.limit_option(options.MOST, "Maximum number of steps or dependencies, nearest first.")
@options.format_option(*graph_formats.FORMS)
@options.dsn
def at(
    name: str,
    time: str | None,
    depth: int | None,
    runs: bool,
    perhaps: bool,
    limit: int,
    form: str,
    dsn: str | None,
) -> None:
    """Show the jobs whose writes were visible in dataset NAME at TIME.

    The datasets that these jobs had read are followed in the same way. TIME is ISO 8601; without an
    offset it is in the time zone of this machine. [default: the time of the newest event]

    The writes visible at a time are the last overwrite and every later append. If a read reports
    the version of the dataset, they end at the run that wrote this version.

    If a job does not report its write mode, only its newest run is followed. The number of earlier
    runs whose writes may also be visible is shown; --perhaps follows these too. Each line shows all
    runs of a job; with --runs it shows one run.

    \b
    Examples:
      lineage query at gold/revenue
      lineage query at gold/revenue 2026-01-31T18:00:00Z --runs
    """
    by_run = runs or form == "openlineage"
    trace = trace_runs_at if by_run else trace_steps_at
    with Session(dsn) as session:
        result = trace(session, name, time, depth, limit=limit, perhaps=perhaps)
        by_job = (
            [trace_steps_at(session, name, time, depth)]
            if runs and form == "tree" and not perhaps
            else ()
        )
    run_lineage.emit_results([result], form, dsn)
    run_steps.report_further_runs(by_job)
