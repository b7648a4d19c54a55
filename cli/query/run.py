"""``lineage query run``: the runs whose writes a run read, or the readers of its writes."""

from __future__ import annotations

import click

from lineage.query.child_runs import child_jobs_of_run
from lineage.query.records import Run
from lineage.query.run_steps import trace_run_steps
from lineage.query.runs import trace_runs
from lineage.query.session import Session

from .. import options
from ..output import graph_formats
from . import run_lineage, run_steps
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

    Upstream are the jobs whose writes RUN read, downstream the jobs that read the writes of RUN.
    RUN is a run id or the beginning of one. A job or a dataset stands for its last run.

    The writes visible to a run are the last overwrite before its read and every later append. If
    reader and writer report the version of the dataset, they end at the run that wrote this
    version.

    If a job does not report its write mode, only its newest run is followed. The number of earlier
    runs whose writes may also be visible is shown; --perhaps follows these too. Each line shows all
    runs of a job; with --runs it shows one run.

    If RUN has no datasets, as a run of an orchestrator, the jobs of the runs that it started are
    listed.

    \b
    Examples:
      lineage query run report_fleet_age
      lineage query run 0198c6f0-22a1-7000-8000-000000000001 --downstream
    """
    by_run = runs or form == "openlineage"
    trace = trace_runs if by_run else trace_run_steps
    with Session(dsn) as session:
        directions = read_directions(direction, upstream, downstream)
        results = [
            trace(session, run, each, depth, limit=limit, perhaps=perhaps) for each in directions
        ]
        by_job = (
            [trace_run_steps(session, run, each, depth) for each in directions]
            if runs and form == "tree" and not perhaps
            else ()
        )
        root = results[0].root
        is_tree_without_rows = form == "tree" and not any(map(run_lineage.result_rows, results))
        children = (
            child_jobs_of_run(session, root.run_id)
            if is_tree_without_rows and isinstance(root, Run)
            else ()
        )
    run_lineage.emit_results(results, form, dsn, children)
    run_steps.report_further_runs(by_job)
