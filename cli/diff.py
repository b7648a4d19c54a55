"""``lineage diff``: what changed between two times, or between two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lineage.export import diff_rows
from lineage.query.dataset_diff import diff_dataset
from lineage.query.run_diff import diff_runs
from lineage.query.session import Session

from . import options
from .output import fitting, job_names, render, terminal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lineage.query.dataset_diff import ColumnChange, Diff, Write
    from lineage.query.records import Job
    from lineage.query.run_diff import RunDiff

COLUMNS = ["change", "kind", "distance", "dataset", "name", "before", "after", "link"]
RUN_COLUMNS = ["part", "dataset", "key", "before", "after"]
SIGNS = {"added": "+", "removed": "-", "changed": "~", "unknown": "?"}
NOTHING = "Nothing changed."


@click.command()
@click.argument("dataset", required=False, shell_complete=options.complete_dataset)
@click.option("--from", "start", metavar="TIME", help="The earlier time (ISO 8601).")
@click.option("--to", "end", metavar="TIME", help="The later time (ISO 8601).")
@click.option("--run", "runs", metavar="RUN", multiple=True, help="Twice: the two runs to compare.")
@options.depth
@options.limit(options.MOST, "Tell so many of each kind, of the others how many there are.")
@options.form("text", *render.ROWS)
@options.dsn
def diff(
    dataset: str | None,
    start: str | None,
    end: str | None,
    runs: tuple[str, ...],
    depth: int | None,
    limit: int,
    form: str,
    dsn: str | None,
) -> None:
    """Tell what changed in what DATASET is made of, or what differs between two runs.

    Between two times: datasets, jobs and runs that came or went, columns of what was there both
    times as the newest event by then stated them, and the rows of the newest writes. Of two runs:
    state, duration, facets such as the SQL text or Spark's version, what was read and who had
    written it, what was written.

    \b
    Examples:
      lineage diff gold/revenue --from 2026-01-30T18:00:00Z --to 2026-01-31T18:00:00Z
      lineage diff --run 0198c6f0-22a1-7000-8000-000000000001 \\
          --run 0198c6f0-22a1-7000-8000-000000000002
    """
    if runs:
        if dataset is not None or start is not None or end is not None or depth is not None:
            raise click.UsageError("--run compares two runs alone: leave out the other options.")
        if len(runs) != 2:
            raise click.UsageError("Name two runs: --run ONE --run OTHER.")
        with Session(dsn) as session:
            _emit_runs(diff_runs(session, *runs, limit=limit), form)
        return
    if dataset is None or start is None or end is None:
        raise click.UsageError("Name a DATASET with --from and --to, or two runs by --run.")
    with Session(dsn) as session:
        _emit(diff_dataset(session, dataset, start, end, depth, limit=limit), form)


def _emit(found: Diff, form: str) -> None:
    if form == "text":
        terminal.write_lines(_text(found))
    else:
        render.emit_rows(diff_rows.of_dataset(found), form, COLUMNS)
    lists = {name: len(getattr(found, name)) for name in found.left_out}
    options.write_left_out(found.left_out, lists, err=form != "text")


def _text(found: Diff) -> Iterator[str]:
    yield f"{found.root}  {render.moment(found.start)} -> {render.moment(found.end)}"
    if not list(diff_rows.of_dataset(found)):
        yield NOTHING
    names = job_names.of_records(change.write for change in found.writes)
    yield from _part("datasets", (f"{SIGNS[d.change]} {d.dataset}" for d in found.datasets))
    yield from _part("jobs", (f"{SIGNS[j.change]} {j.job}" for j in found.jobs))
    yield from _part("runs", (f"{SIGNS[w.change]} {_write(w.write, names)}" for w in found.writes))
    yield from _part("columns", (line for s in found.schemas for line in _schema_lines(s)))
    yield from _part(
        "rows of the newest write",
        (f"~ {r.dataset}  {r.before.rows:,} -> {r.after.rows:,}" for r in found.rows),
    )
    if found.log_from and found.log_from > found.start:
        yield f"The log begins at {render.moment(found.log_from)}: it tells no schema of before."


def _part(title: str, lines: Iterable[str]) -> Iterator[str]:
    lines = list(lines)
    if lines:
        yield from ("", title)
        yield from (f"  {line}" for line in lines)


def _write(write: Write, names: Mapping[Job, str]) -> str:
    said = [names[write.job], render.moment(write.written)]
    said += [f"version {write.version}"] if write.version else []
    said += [f"{write.rows:,} rows"] if write.rows is not None else []
    return f"{write.dataset}  [{', '.join([*said, f'run {write.run.run_id}', write.tie])}]"


def _schema_lines(change: Any) -> Iterator[str]:
    if not (change.before_known and change.after_known):
        when = "later" if change.before_known else "earlier"
        yield f"? {change.dataset}  its columns at the {when} time are not known"
        return
    yield from (f"{SIGNS[c.change]} {change.dataset}.{_column(c)}" for c in change.columns)


def _column(column: ColumnChange) -> str:
    before, after = (t or "type not stated" for t in (column.before, column.after))
    told = {"added": after, "removed": before}.get(column.change, f"{before} -> {after}")
    return f"{column.name}  {told}"


def _emit_runs(found: RunDiff, form: str) -> None:
    if form == "text":
        terminal.write_lines(_runs_text(found))
    else:
        render.emit_rows(diff_rows.of_runs(found), form, RUN_COLUMNS)
    shown = {"differences": len(found.differences)}
    options.write_left_out(found.left_out, shown, err=form != "text")


def _runs_text(found: RunDiff) -> Iterator[str]:
    for sign, run in (("-", found.before), ("+", found.after)):
        state, time = run.state or "state not known", run.started_at or run.event_time
        yield f"{sign} run {run.run_id}  [{state}, {render.moment(time)}]"
    yield from (_unlogged(run) for run in found.unlogged)
    if not found.differences:
        yield "They differ in nothing that is known."
    part = None
    for each in found.differences:
        title = f"{each.part} {each.dataset}" if each.dataset else each.part
        if title != part:
            yield from ("", title)
            part = title
        if each.key == "dataset":
            yield "  only the first run" if each.after is None else "  only the second run"
        else:
            yield f"  {each.key}: {_value(each.key, each.before)} -> {_value(each.key, each.after)}"


def _unlogged(run: str) -> str:
    return f"The log has no event of {run}: job and columns are not compared."


def _value(key: str, value: Any) -> str:
    if value is None:
        return "nothing"
    if key == "duration":
        return f"{value:,.0f} s"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return fitting.shortened(render.cell(value), render.CELL)
