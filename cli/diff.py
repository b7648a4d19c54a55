"""``lineage diff``: differences between two times or between two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lineage.export import diff_rows
from lineage.query.child_runs import child_jobs_of_run
from lineage.query.dataset_diff import diff_dataset
from lineage.query.run_diff import diff_runs
from lineage.query.session import Session

from . import options
from .archived_runs import report_archive
from .child_jobs import NOT_COMPARED, child_lines
from .output import fitting, job_names, render, terminal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lineage.query.child_runs import ChildRow
    from lineage.query.dataset_diff_records import Diff, Write
    from lineage.query.records import Job
    from lineage.query.run_diff import RunDiff
    from lineage.query.schema_diff import ColumnChange

COLUMNS = ["change", "kind", "distance", "dataset", "name", "before", "after", "matched_by"]
RUN_COLUMNS = ["part", "dataset", "key", "before", "after"]
SIGNS = {"added": "+", "removed": "-", "changed": "~", "unknown": "?"}
NOTHING = "No differences."


@click.group()
def diff() -> None:
    """Show the differences between two times or between two runs."""


@diff.command("dataset")
@click.argument("name", shell_complete=options.complete_dataset)
@options.time_option("--start", "Earlier time.", required=True)
@options.time_option("--end", "Later time.", required=True)
@options.depth
@options.limit_option(options.MOST, "Maximum number of entries of each kind.")
@options.format_option("text", *render.ROWS)
@options.dsn
def diff_dataset_command(
    name: str, start: str, end: str, depth: int | None, limit: int, form: str, dsn: str | None
) -> None:
    """Show the changes of dataset NAME between two times.

    The command compares the visible writes of the dataset and of all datasets upstream. It lists
    added and removed datasets, jobs and runs. For datasets of both times it lists changed columns
    and the numbers of rows of the newest writes. The columns are those that the newest event up to
    each time reported.

    \b
    Example:
      lineage diff dataset gold/revenue --start 2026-01-30T18:00:00Z --end 2026-01-31T18:00:00Z
    """
    with Session(dsn) as session:
        _emit_diff(diff_dataset(session, name, start, end, depth, limit=limit), form)


@diff.command("run")
@click.argument("before", shell_complete=options.complete_job)
@click.argument("after", shell_complete=options.complete_job)
@options.limit_option(options.MOST, "Maximum number of differences.")
@options.format_option("text", *render.ROWS)
@options.dsn
def diff_run_command(before: str, after: str, limit: int, form: str, dsn: str | None) -> None:
    """Show the differences between the runs BEFORE and AFTER.

    The command compares state, duration, facets such as the SQL text or the version of Spark, the
    inputs and their writers, and the outputs. Runs that they started are not compared. If a run has
    no datasets, the jobs of the runs that it started are listed.

    \b
    Example:
      lineage diff run 0198c6f0-22a1-7000-8000-000000000001 0198c6f0-22a1-7000-8000-000000000002
    """
    with Session(dsn) as session:
        diff = diff_runs(session, before, after, limit=limit)
        runs = (diff.before, diff.after) if form == "text" else ()
        _emit_runs(diff, form, [child_jobs_of_run(session, run.run_id) for run in runs])


def _emit_diff(diff: Diff, form: str) -> None:
    if form == "text":
        terminal.write_lines(_text_lines(diff))
    else:
        render.emit_rows(diff_rows.of_dataset(diff), form, COLUMNS)
    if diff.unknown_modes:
        terminal.write_line(_unknown_modes_note(diff.unknown_modes), err=form != "text")
    report_archive(diff.archive)
    lists = {name: len(getattr(diff, name)) for name in diff.omitted}
    options.write_omitted(diff.omitted, lists, err=form != "text")


def _text_lines(diff: Diff) -> Iterator[str]:
    yield f"{diff.root}  {render.format_time(diff.start)} -> {render.format_time(diff.end)}"
    if not list(diff_rows.of_dataset(diff)):
        known = diff.unchanged or diff.writes
        yield NOTHING if known else f"No write of {diff.root} is known at either time."
    names = job_names.of_records(change.write for change in diff.writes)
    yield from _section_lines("datasets", (f"{SIGNS[d.change]} {d.dataset}" for d in diff.datasets))
    yield from _section_lines("jobs", (f"{SIGNS[j.change]} {j.job}" for j in diff.jobs))
    yield from _section_lines(
        "runs", (f"{SIGNS[w.change]} {_describe_write(w.write, names)}" for w in diff.writes)
    )
    yield from _section_lines("columns", (line for s in diff.schemas for line in _schema_lines(s)))
    yield from _section_lines(
        "rows of the newest write",
        (f"~ {r.dataset}  {r.before.rows:,} -> {r.after.rows:,}" for r in diff.rows),
    )
    if diff.log_from and diff.log_from > diff.start:
        since = render.format_time(diff.log_from)
        yield f"The log has all events from {since} on; earlier schemas may not be known."


def _unknown_modes_note(jobs: Sequence[Job]) -> str:
    """Report that removals are uncertain."""
    named = ", ".join(job.full_name for job in jobs[:3])
    named += f" and {len(jobs) - 3:,} more" if len(jobs) > 3 else ""
    verbs = "overwrites or appends" if len(jobs) == 1 else "overwrite or append"
    return (
        f"It is not known whether {named} {verbs}: removed entries may still be visible."
        " Set the mode: lineage modes set JOB append|overwrite"
    )


def _section_lines(title: str, lines: Iterable[str]) -> Iterator[str]:
    lines = list(lines)
    if lines:
        yield from ("", title)
        yield from (f"  {line}" for line in lines)


def _describe_write(write: Write, names: Mapping[Job, str]) -> str:
    parts = [names[write.job], render.format_time(write.written)]
    parts += [f"version {write.version}"] if write.version else []
    parts += [f"{write.rows:,} rows"] if write.rows is not None else []
    return f"{write.dataset}  [{', '.join([*parts, f'run {write.run.run_id}', write.matched_by])}]"


def _schema_lines(change: Any) -> Iterator[str]:
    if not (change.before_known and change.after_known):
        known = {"earlier time": change.before_known, "later time": change.after_known}
        times = " and the ".join(when for when, is_known in known.items() if not is_known)
        yield f"? {change.dataset}  columns at the {times} not known"
        return
    yield from (f"{SIGNS[c.change]} {change.dataset}.{_describe_column(c)}" for c in change.columns)


def _describe_column(column: ColumnChange) -> str:
    before, after = (t or "type not reported" for t in (column.before, column.after))
    type_text = {"added": after, "removed": before}.get(column.change, f"{before} -> {after}")
    return f"{column.name}  {type_text}"


def _emit_runs(diff: RunDiff, form: str, children: Sequence[Sequence[ChildRow]]) -> None:
    if form == "text":
        terminal.write_lines(_runs_text(diff))
        if any(children):
            terminal.write_lines(("", NOT_COMPARED))
        for mark, each in zip("-+", children, strict=False):
            terminal.write_lines(child_lines(each, f"{mark} "))
    else:
        render.emit_rows(diff_rows.of_runs(diff), form, RUN_COLUMNS)
    listed = {"differences": len(diff.differences)}
    report_archive(diff.archive)
    options.write_omitted(diff.omitted, listed, err=form != "text")


def _runs_text(diff: RunDiff) -> Iterator[str]:
    for sign, run in (("-", diff.before), ("+", diff.after)):
        state, time = run.state or "unknown state", run.started_at or run.event_time
        yield f"{sign} run {run.run_id}  [{state}, {render.format_time(time)}]"
    yield from (_unlogged_note(run) for run in diff.unlogged)
    if not diff.differences:
        yield "No known differences."
    part = None
    for each in diff.differences:
        title = f"{each.part} {each.dataset}" if each.dataset else each.part
        if title != part:
            yield from ("", title)
            part = title
        if each.key == "dataset":
            yield "  only the first run" if each.after is None else "  only the second run"
        else:
            before, after = (_plain_value(each.key, value) for value in (each.before, each.after))
            yield f"  {each.key}: {before} -> {after}"


def _unlogged_note(run: str) -> str:
    return f"The log has no events of {run}; job and columns are not compared."


def _plain_value(key: str, value: Any) -> str:
    if value is None:
        return "nothing"
    if key == "duration":
        return f"{value:,.0f} s"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return fitting.shorten_text(render.cell_text(value), render.CELL)
