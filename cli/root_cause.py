"""``lineage root-cause``: why a run failed, was late or gave a bad result."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from lineage.control_characters import escape_controls
from lineage.export import diff_rows
from lineage.query.root_cause import find_root_cause
from lineage.query.session import Session

from . import options
from .output import job_names, render, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.query.root_cause import Cause, RootCause

COLUMNS = ["kind", "distance", "job", "dataset", "run", "reason"]
NOTHING = "Nothing is known to be wrong with them."
WIDTH = 90


@click.command("root-cause")
@click.argument("run", metavar="RUN|JOB|DATASET", shell_complete=options.complete_dataset)
@click.option("--last-failed", is_flag=True, help="Last failed run of the JOB or DATASET.")
@options.depth
@options.limit_option(options.MOST, "Tell so many causes, of the others how many there are.")
@options.format_option("text", *render.ROWS)
@options.dsn
def root_cause(
    run: str, last_failed: bool, depth: int | None, limit: int, form: str, dsn: str | None
) -> None:
    """Tell why a run failed, was late or gave a bad result.

    RUN is an id or the beginning of one. A job stands for its last run, a dataset for the last run
    that wrote it or was to.

    Looked at are the run, what it started, and the runs whose writes it read, back to the sources.
    First come inputs that were stale: the last run of a job that writes them had failed, or was not
    over, when they were read. Then runs that failed, were aborted or have not ended; that took
    longer, or ended longer after their nominal time, than the last 20 of their job; that wrote far
    fewer rows than these, or other columns than the run before. And checks of quality that failed:
    of what one of the runs wrote or read, or last before it was read. Of each kind the nearest is
    first.

    Too long is more than the median of the runs before plus four times their spread (the median of
    how far they are from it), and at least by half of the median and by a minute. Too few is the
    same below the median. Five runs at least have to be there.

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


def _text_lines(result: RootCause) -> Iterator[str]:
    run = result.run
    state, time = run.state or "state not known", render.format_time(run.event_time)
    yield f"run {run.run_id}  [{state}, {time}]"
    yield from (f"of {job}" for job in result.jobs)
    others = result.looked_at - 1
    yield f"{others:,} other {'run' if others == 1 else 'runs'} looked at."
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
