"""``lineage query run``: what a run read, or the readers of what it wrote."""

from __future__ import annotations

import click

from lineage.query.run_steps import trace_run_steps
from lineage.query.runs import trace_runs
from lineage.query.session import Session

from .. import options
from ..output import graph_formats
from . import run_lineage
from .direction import direction_options, read_directions


@click.command()
@click.argument("run", shell_complete=options.complete_job)
@direction_options
@options.depth
@run_lineage.run_options
@options.limit_option(options.MOST, "Maximum number of steps or dependencies, nearest first.")
@options.format_option(*graph_formats.FORMS)
@options.dsn
def run(
    run: str,
    direction: str | None,
    upstream: bool,
    downstream: bool,
    depth: int | None,
    runs: bool,
    perhaps: bool,
    limit: int,
    form: str,
    dsn: str | None,
) -> None:
    """Show the jobs whose writes RUN read, or its readers.

    Downstream are the jobs that read what RUN wrote. RUN is the id of a run, the beginning of it,
    or a job or a dataset for its last run.

    The writes that a run saw are the last overwrite before it read and every later append; if
    reader and writer report the version of the dataset, those up to this version. If a job does not
    report how it writes, its newest run is shown, and how many earlier ones may be there too;
    --perhaps follows these. A line is for all runs of a job, with --runs for one.

    \b
    Examples:
      lineage query run report_fleet_age
      lineage query run 0198c6f0-22a1-7000-8000-000000000001 --downstream
    """
    by_run = runs or form == "openlineage"
    trace = trace_runs if by_run else trace_run_steps
    with Session(dsn) as session:
        results = [
            trace(session, run, each, depth, limit=limit, perhaps=perhaps)
            for each in read_directions(direction, upstream, downstream)
        ]
    run_lineage.emit_results(results, form, dsn)
