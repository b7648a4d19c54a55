"""``lineage impact``: the dependents of a dataset or of one of its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lineage.query.impact import find_impact
from lineage.query.session import Session

from . import options
from .archived_runs import report_archive
from .output import graph_formats, impact_rows, job_names, render, terminal
from .output.unreported_columns import unreported_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.query.impact_records import AffectedDataset, Impact, Owner

TABLE_COLUMNS = ["kind", "distance", "name", "columns", "last_fed", "last_written", "last_read",
                 "reads", "stale", "last_run", "runs", "owners", "tags"]  # fmt: skip


@click.command()
@click.argument("dataset", shell_complete=options.complete_dataset)
@click.option(
    "--column",
    metavar="COLUMN",
    help="Only dependents of this column; a field of a struct is named by its path.",
)
@options.depth
@options.observed
@options.confidence
@options.window_days("Days before the newest event in which runs are counted.")
@options.limit_option(50, "Maximum number of datasets and of jobs; the others are counted")
@options.format_option("text", *render.ROWS, *graph_formats.GRAPHS)
@options.dsn
def impact(
    dataset: str,
    column: str | None,
    depth: int | None,
    observed: bool,
    min_confidence: float,
    window_days: int,
    limit: int,
    form: str,
    dsn: str | None,
) -> None:
    """Show the datasets and jobs that depend on DATASET, and their owners.

    Datasets made from it are listed with the nearest first, and at the same distance the most read
    first. Each has the times when a run that did not fail last wrote it, and when any run last read
    it. Each also has the number of runs that read it in the window.

    Jobs are listed with their last read of DATASET or of a dataset made from it, even if they write
    nothing from it. A job is stale if it has since written all that it had made from these,
    without reading them. A dataset is stale if each path to it has a stale edge, as in `lineage
    query`. Owners are those of the newest ownership facet of each dataset and job. The window ends
    at the newest event, not today.

    With --column, only columns are followed that producers reported to be derived from the column:
    by value, or by a filter, join or sort. Jobs that read these datasets without reporting columns
    are listed separately with their outputs, which may also be affected.

    \b
    Examples:
      lineage impact raw/orders
      lineage impact raw/orders --column price
      lineage impact raw/orders --format jsonl --limit 0 | jq -r '.owners[]' | sort -u
    """
    with Session(dsn) as session:
        result = find_impact(
            session,
            dataset,
            column,
            depth,
            window_days=window_days,
            limit=limit,
            observed=observed,
            min_confidence=min_confidence,
        )
    if form == "text":
        terminal.write_fitting_lines(_impact_lines(result))
    elif form == "json":
        click.echo(render.json_text(impact_rows.impact_object(result), indent=2))
    elif form in graph_formats.GRAPHS:
        graph_formats.emit_results([result], form, TABLE_COLUMNS, str, dsn)
    else:
        render.emit_rows(impact_rows.list_rows(result), form, TABLE_COLUMNS)
    if form not in ("text", "json"):
        terminal.write_lines(_omitted_lines(result), err=True)
    report_archive(result.archive)


def _impact_lines(impact: Impact) -> Iterator[str]:
    itself = impact.itself
    yield str(impact.root)
    yield f"owners   {', '.join(itself.owners) or 'not reported'}"
    if len(itself.columns) > 1:
        yield f"columns  {', '.join(itself.columns)}"
    if itself.tags:
        yield f"tags     {', '.join(itself.tags)}"
    yield f"written  {_last_use(itself.last_written, itself.writes)}"
    yield f"read     {_last_use(itself.last_read, itself.reads)}"
    yield ""
    yield _summary_line(impact)
    days, until = render.count_of(impact.window_days, "day"), render.format_time(impact.until)
    read = f"read by a run in the {days} before the newest event, {until}"
    yield f"In use: {read}; runs are counted in this period."
    if impact.owners:
        yield from ("", "OWNERS", *_owner_lines(impact.owners))
    if impact.datasets:
        yield from ("", "DATASETS", *_dataset_lines(impact))
    if impact.jobs:
        yield from ("", "JOBS", *_job_lines(impact))
    if impact.unreported:
        yield from ("", *unreported_lines(impact.unreported))
    yield from _omitted_lines(impact)


def _last_use(last: str | None, runs: int) -> str:
    if not last:
        return "by no run"
    counted = render.count_of(runs, "run") if runs else "no run in the period"
    return f"{render.format_time(last)}, by {counted}"


def _summary_line(impact: Impact) -> str:
    datasets = len(impact.datasets) + impact.datasets_omitted
    jobs = len(impact.jobs) + impact.jobs_omitted
    if not datasets and not jobs:
        return "No known dependents."
    depend = "depends" if datasets + jobs == 1 else "depend"
    counts = [render.count_of(n, noun) for n, noun in ((datasets, "dataset"), (jobs, "job")) if n]
    return (
        f"{' and '.join(counts)} {depend} on it; {impact.datasets_in_use:,} of the datasets in use."
    )


def _owner_lines(owners: tuple[Owner, ...]) -> list[str]:
    """Return a line for each owner, with counts of datasets and jobs."""
    rows = [
        (each.name or "no owner reported", [(each.datasets, "dataset"), (each.jobs, "job")])
        for each in owners
    ]
    width = max(len(name) for name, _ in rows)
    return [
        f"{name:<{width}}  {', '.join(render.count_of(n, noun) for n, noun in counts if n)}"
        for name, counts in rows
    ]


def _dataset_lines(impact: Impact) -> list[str]:
    columns = ["steps", "dataset", "read by", "last read", "last written", "owners", "tags"]
    rows = [
        {
            "steps": each.distance,
            "dataset": each.dataset.full_name,
            "columns": ", ".join(each.columns),
            "read by": render.count_of(each.reads, "run"),
            "last read": render.format_time(each.last_read) or "never",
            "last written": render.format_time(each.last_written) or "never",
            "last fed": _last_feed(each, impact),
            "owners": ", ".join(each.owners),
            "tags": ", ".join(each.tags),
        }
        for each in impact.datasets
    ]
    if any(each.stale for each in impact.datasets):
        columns.insert(2, "last fed")
    if any(each.columns for each in impact.datasets):
        columns.insert(2, "columns")
    return render.table_lines(rows, columns, terminal.line_width())


def _job_lines(impact: Impact) -> list[str]:
    names = job_names.short_names(
        (each.job for each in impact.jobs), (each.dataset for each in impact.datasets)
    )
    columns = ["steps", "job", "reads", "runs that read", "last read", "newest run", "owners",
               "tags"]  # fmt: skip
    return render.table_lines(
        [
            {
                "steps": each.distance,
                "job": job_names.full_names(each.job, names),
                "reads": _join_some([str(read.dataset) for read in each.inputs]),
                "runs that read": f"{each.reads:,}",
                "last read": _last_time(each.last_read, "stale" if each.is_stale else ""),
                "newest run": "declared"
                if each.declared
                else each.last_run and each.last_run.state,
                "owners": ", ".join(each.owners),
                "tags": ", ".join(each.tags),
            }
            for each in impact.jobs
        ],
        columns,
        terminal.line_width(),
    )


def _last_feed(each: AffectedDataset, impact: Impact) -> str:
    """Return the last time that a dataset was made, and where the path to it is stale."""
    if not each.stale:
        return _last_time(each.last_fed, "")
    is_fed = any(
        not edge.stale
        for edge in impact.edges
        if each.dataset in (edge.target, getattr(edge.target, "dataset", None))
    )
    return _last_time(each.last_fed, "stale upstream" if is_fed else "stale")


def _last_time(last: str | None, remark: str) -> str:
    time = render.format_time(last) or "never"
    return f"{time}, {remark}" if remark else time


def _join_some(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more"


def _omitted_lines(impact: Impact) -> Iterator[str]:
    left = [
        render.count_of(number, noun)
        for number, noun in (
            (impact.datasets_omitted, "dataset"),
            (impact.jobs_omitted, "job"),
            (impact.unreported_omitted, "unknown step"),
        )
        if number
    ]
    if left:
        yield f"Omitted: {', '.join(left)}. --limit 0 shows all."
