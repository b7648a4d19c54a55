"""``lineage root-cause``: probable causes of a failed, late or incorrect run."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from lineage.control_characters import escape_controls
from lineage.export import diff_rows
from lineage.query.root_cause import find_root_cause
from lineage.query.session import Session

from . import options
from .archived_runs import report_archive
from .output import job_names, render, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.query.causes import Cause
    from lineage.query.root_cause import RootCause

COLUMNS = ["kind", "distance", "job", "dataset", "run", "reason"]
NOTHING = "No cause is known."
WIDTH = 90


@click.command("root-cause")
@click.argument("run", metavar="RUN|JOB|DATASET", shell_complete=options.complete_dataset)
@click.option("--last-failed", is_flag=True, help="Last failed run of the JOB or DATASET.")
@options.depth
@options.limit_option(options.MOST, "Maximum number of causes; the others are counted.")
@options.format_option("text", *render.ROWS)
@options.dsn
def root_cause(
    run: str, last_failed: bool, depth: int | None, limit: int, form: str, dsn: str | None
) -> None:
    """Show why a run failed, was late or wrote a bad result.

    RUN is a run id or the beginning of one. A job stands for its last run. A dataset stands for the
    last run that wrote it or was to write it.

    The command examines the run, the runs that it started, and the runs whose writes it read, back
    to the sources. Causes are listed by kind, and of each kind the nearest first:

    \b
    1. stale inputs: the last run of a job that writes the input had failed, or had not
       ended, when the input was read
    2. runs that failed, were aborted or have not ended
    3. runs that took longer, or ended later after their nominal time, than the last 20
       runs of their job
    4. runs that wrote far fewer rows than these, or other columns than the previous run
    5. quality checks that failed: of the outputs or inputs of one of the runs, or the
       last check of a dataset before it was read

    A duration is too long if it exceeds the median of the previous runs by more than four times
    their spread, by at least half of the median, and by at least a minute. The spread is the median
    of the deviations from the median. A number of rows is too low by the same rule below the
    median. Both need at least five previous runs.

    \b
    Examples:
      lineage root-cause report_fleet_age --last-failed
      lineage root-cause 0198c6f0
      lineage root-cause 0198c6f0-22a1-7000-8000-000000000001 --depth 2 --format jsonl
    """
    with Session(dsn) as session:
        result = find_root_cause(session, run, depth, last_failed=last_failed, limit=limit)
    if form == "text":
        terminal.write_lines(_text_lines(result))
    else:
        render.emit_rows([diff_rows.of_cause(cause) for cause in result.causes], form, COLUMNS)
    listed = {"causes": len(result.causes), "jobs": len(result.jobs)}
    options.write_omitted(result.omitted, listed, err=form != "text")
    if result.unlogged:
        terminal.write_line(
            f"The columns of {render.count_of(result.unlogged, 'write')} are not compared: the log"
            " has no events of the runs.",
            err=True,
        )
    report_archive(result.archive)


def _text_lines(result: RootCause) -> Iterator[str]:
    run = result.run
    state, time = run.state or "unknown state", render.format_time(run.event_time)
    yield f"run {run.run_id}  [{state}, {time}]"
    yield from (f"of {job}" for job in result.jobs)
    others = result.looked_at - 1
    yield f"{others:,} other {'run' if others == 1 else 'runs'} examined."
    if not result.causes:
        yield NOTHING
    names = job_names.of_records(result.causes)
    for place, cause in enumerate(result.causes, start=1):
        which = f"{names[cause.job]}, run {cause.run.run_id}, {_describe_place(cause, run.run_id)}"
        yield from ("", f"{place}. {cause.kind}  [{which}]")
        yield from textwrap.wrap(
            escape_controls(cause.reason), WIDTH, initial_indent="   ", subsequent_indent="   ",
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip


def _describe_place(cause: Cause, root: str) -> str:
    if cause.distance == 0:
        return "the run itself" if cause.run.run_id == root else "started by it"
    return "1 step back" if cause.distance == 1 else f"{cause.distance} steps back"
