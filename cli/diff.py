"""``lineage diff``: what changed between two times, or between two runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

import lineage

from . import options, render

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lineage.questions.changes import ColumnChange, Diff, Write
    from lineage.questions.compared import RunDiff

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
@options.form("text", *render.ROWS)
@options.dsn
def diff(
    dataset: str | None,
    start: str | None,
    end: str | None,
    runs: tuple[str, ...],
    depth: int | None,
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
        with lineage.connect(dsn) as graph:
            _emit_runs(graph.diff_runs(*runs), form)
        return
    if dataset is None or start is None or end is None:
        raise click.UsageError("Name a DATASET with --from and --to, or two runs by --run.")
    with lineage.connect(dsn) as graph:
        _emit(graph.diff(dataset, start, end, depth), form)


def _emit(found: Diff, form: str) -> None:
    if form == "text":
        click.echo("\n".join(_text(found)))
    else:
        render.emit_rows(_rows(found), form, COLUMNS)


def _text(found: Diff) -> Iterator[str]:
    yield f"{found.root}  {render.moment(found.start)} -> {render.moment(found.end)}"
    if not list(_rows(found)):
        yield NOTHING
    yield from _part("datasets", (f"{SIGNS[d.change]} {d.dataset}" for d in found.datasets))
    yield from _part("jobs", (f"{SIGNS[j.change]} {j.job}" for j in found.jobs))
    yield from _part("runs", (f"{SIGNS[w.change]} {_write(w.write)}" for w in found.writes))
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
        yield f"\n{title}"
        yield from (f"  {line}" for line in lines)


def _write(write: Write) -> str:
    said = [write.job.name, render.moment(write.written)]
    said += [f"version {write.version}"] if write.version else []
    said += [f"{write.rows:,} rows"] if write.rows is not None else []
    return f"{write.dataset}  [{', '.join([*said, f'run {write.run.run_id}', _link(write)])}]"


def _link(write: Write) -> str:
    return "by version" if write.exact else "by time"


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


def _rows(found: Diff) -> Iterator[dict[str, Any]]:
    """One row a change: a thing that came or went, or a value before and after."""
    for d in found.datasets:
        yield _row(d.change, "dataset", d.distance, d.dataset, d.dataset.full_name)
    for j in found.jobs:
        yield _row(j.change, "job", j.distance, None, j.job.full_name)
    for w in found.writes:
        yield _row(w.change, "run", w.distance, w.write.dataset, w.write.run.run_id) | {
            "job": w.write.job.full_name,
            "state": w.write.run.state,
            "written": w.write.written,
            "version": w.write.version,
            "mode": w.write.mode,
            "rows": w.write.rows,
            "bytes": w.write.bytes,
            "link": _link(w.write),
        }
    for s in found.schemas:
        if not (s.before_known and s.after_known):
            known = ["known" if each else "not known" for each in (s.before_known, s.after_known)]
            yield _row("unknown", "schema", s.distance, s.dataset, None, *known)
        for c in s.columns:
            yield _row(c.change, "column", s.distance, s.dataset, c.name, c.before, c.after)
    for r in found.rows:
        yield _row("changed", "rows", r.distance, r.dataset, None, r.before.rows, r.after.rows)


def _row(
    change: str,
    kind: str,
    distance: int,
    dataset: Any,
    name: str | None,
    before: Any = None,
    after: Any = None,
) -> dict[str, Any]:
    return {
        "change": change,
        "kind": kind,
        "distance": distance,
        "dataset": dataset and dataset.full_name,
        "name": name,
        "before": before,
        "after": after,
    }


def _emit_runs(found: RunDiff, form: str) -> None:
    rows = [
        {
            "part": each.part,
            "dataset": each.dataset and each.dataset.full_name,
            "key": each.key,
            "before": each.before,
            "after": each.after,
        }
        for each in found.differences
    ]
    if form == "text":
        click.echo("\n".join(_runs_text(found)))
    else:
        render.emit_rows(rows, form, RUN_COLUMNS)


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
            yield f"\n{title}"
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
    return render.cell(value)
