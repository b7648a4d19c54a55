"""``lineage show`` and ``lineage runs``: details of a dataset, job or run, and its runs."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import click

from lineage.errors import NotFound
from lineage.failures import first_line
from lineage.query.archive import need_run_in_graph
from lineage.query.details import describe_dataset, describe_job, describe_run
from lineage.query.names import is_run_id, resolve_run, suggest_names
from lineage.query.run_history import (
    ACCESS_KINDS,
    STATES,
    RunFilter,
    find_archive_of_list,
    list_dataset_runs,
    list_job_runs,
    list_runs,
)
from lineage.query.session import Session

from . import options
from .archived_runs import report_archive
from .output import facets, job_names, render, terminal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lineage.query.assets import Asset
    from lineage.query.details import DatasetDetails, JobDetails, RunDetails
    from lineage.query.records import Dataset, Job, Run
    from lineage.query.run_history import Access, JobRun

RUN_COLUMNS = ["started_at", "ended_at", "state", "run_id", "error"]
JOB_RUN_COLUMNS = ["started_at", "ended_at", "state", "job", "run_id", "error"]
ACCESS_COLUMNS = ["started_at", "ended_at", "state", "did", "job", "run_id", "error"]
# Terminals with fewer columns have no space for the end time of runs.
NARROW = 120


@click.command()
@click.argument("name", metavar="DATASET|JOB|RUN", shell_complete=options.complete_dataset)
@click.option("--last-run", is_flag=True, help="Show the last run of the JOB or DATASET.")
@click.option("--job", is_flag=True, help="NAME is a job, even if a dataset has it too.")
@click.option("--full", "all_lines", is_flag=True, help="Show all lines of a run's error.")
@options.format_option("text", "json")
@options.dsn
def show(name: str, last_run: bool, job: bool, all_lines: bool, form: str, dsn: str | None) -> None:
    """Show the details of a dataset, a job or a run.

    A run is named by its id or the beginning of it. With --last-run, NAME is a job or a dataset,
    and the command shows its last run; for a dataset, that is the last run that wrote it or was to
    write it.

    The most informative line of a run's error is shown; for a Python traceback, that is the
    exception with the last line of user code.

    \b
    Examples:
      lineage show gold/revenue
      lineage show 0198c6f0-22a1-7000-8000-000000000001 --full
      lineage show report_fleet_age --last-run
      lineage show gold/revenue --format json | jq .facets.schema
    """
    with Session(dsn) as session:
        run_id = resolve_run(session, name) if last_run else None
        details = describe_run(session, run_id) if run_id else _find_any(session, name, job)
    if form == "json":
        click.echo(render.json_text(details, indent=2))
    else:
        terminal.write_lines(_detail_lines(details, all_lines=all_lines))
    report_archive(getattr(details, "archive", None))


def _find_any(session: Session, name: str, job: bool) -> DatasetDetails | JobDetails | RunDetails:
    """Return the run with this id, else a dataset, a job, or a run whose id begins with it."""
    if job:
        return describe_job(session, name)
    if is_run_id(session, name):
        return describe_run(session, name)
    for describe in (describe_dataset, describe_job, describe_run):
        with contextlib.suppress(NotFound):
            return describe(session, name)
    need_run_in_graph(session, name, is_prefix=True)
    raise NotFound(f'No dataset, job or run is called "{name}".', suggest_names(session, name))


def _detail_lines(
    details: DatasetDetails | JobDetails | RunDetails, *, all_lines: bool
) -> Iterator[str]:
    from lineage.query.details import DatasetDetails, JobDetails

    if isinstance(details, DatasetDetails):
        yield from _dataset_lines(details)
    elif isinstance(details, JobDetails):
        yield from _job_lines(details)
    else:
        yield from _run_lines(details, all_lines=all_lines)


def _dataset_lines(details: DatasetDetails) -> Iterator[str]:
    yield f"dataset     {details.dataset}"
    yield from _list_lines("also called", details.aliases)
    yield from _seen_lines(details.first_seen, details.last_seen)
    yield from _list_lines("tags", details.tags)
    yield from _asset_lines(details.assets)
    yield from _titled_lines(facets.of_dataset(details.facets))
    yield from _titled_lines(facets.rank_lines(details.rank))
    yield from _list_lines(
        "written by", [*details.written_by, *_mark_declared(details.declared_written_by)]
    )
    yield from _list_lines("read by", [*details.read_by, *_mark_declared(details.declared_read_by)])
    yield from _list_lines("made from", _mark_declared(details.declared_inputs))
    yield from _list_lines("feeds", _mark_declared(details.declared_outputs))
    yield from _titled_lines(facets.check_lines(details.checks))
    yield from _titled_lines(facets.metric_lines(details.metrics))
    yield from _list_lines("fields", facets.schema_columns(details.facets))
    yield from _other_facets(details.facets, facets.OF_DATASET)


def _job_lines(details: JobDetails) -> Iterator[str]:
    yield f"job         {details.job}"
    yield from _list_lines("type", [details.type] if details.type else [])
    yield from _seen_lines(details.first_seen, details.last_seen)
    yield from _list_lines("reads", [*details.inputs, *_mark_declared(details.declared_inputs)])
    yield from _list_lines("writes", [*details.outputs, *_mark_declared(details.declared_outputs)])
    pairs = len(details.declared_inputs), len(details.declared_outputs)
    if min(pairs) > 0 and max(pairs) > 1 and details.assets:
        product = f"{pairs[0]} x {pairs[1]} edges: its model has no pairs of inputs and outputs"
        yield from _list_lines("through", [product])
    yield from _asset_lines(details.assets)
    yield from _titled_lines(facets.of_job(details.facets))
    yield from _other_facets(details.facets, facets.OF_JOB)


def _run_lines(details: RunDetails, *, all_lines: bool) -> Iterator[str]:
    run = details.run
    yield f"run         {run.run_id}"
    yield from _list_lines("job", details.jobs)
    yield f"state       {run.state or 'unknown'}"
    if run.error:
        yield from _list_lines(
            "error", run.error.splitlines() if all_lines else [first_line(run.error)]
        )
    yield f"started     {render.format_time(run.started_at)}"
    yield f"ended       {render.format_time(run.ended_at)}"
    yield from _list_lines("parent", details.parents)
    yield from _list_lines("children", details.children)
    for what in ACCESS_KINDS:
        title = "not written" if what == "was to write" else what
        yield from _list_lines(
            title, [_describe_access(each) for each in details.accesses if each.access_kind == what]
        )
    yield from _titled_lines(facets.of_run(details.facets))
    yield from _titled_lines(facets.check_lines(details.checks))
    yield from _other_facets(details.facets, facets.OF_RUN)


def _seen_lines(first: str | None, last: str | None) -> Iterator[str]:
    yield f"first seen  {render.format_time(first)}"
    yield f"last seen   {render.format_time(last)}"


def _list_lines(title: str, items: Any) -> Iterator[str]:
    for at, item in enumerate(items):
        yield f"{title if at == 0 else '':<12}{item}"


def _asset_lines(assets: Sequence[Asset]) -> Iterator[str]:
    """Yield type, id and page of the nodes of graph models."""
    lines = [
        line
        for each in assets
        for line in (f"{each.node_type}  {each.node_id}", each.url and f"  {each.url}")
        if line
    ]
    yield from _list_lines("asset", lines)


def _mark_declared(entities: Iterable[Dataset | Job]) -> list[str]:
    """Return the names of entities, marked as declared by designs only."""
    return [f"{each}  (declared)" for each in entities]


def _titled_lines(lines: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield lines with their titles; consecutive lines of one title show it once."""
    above = ""
    for title, text in lines:
        yield f"{title if title != above else '':<12}{text}"
        above = title


def _describe_access(access: Access) -> str:
    part = facets.describe_subset(access.facets)
    return f"{access.dataset}  ({part})" if part else str(access.dataset)


def _other_facets(facets: Any, listed: frozenset[str]) -> Iterator[str]:
    """Yield the names of facets that the text omits; ``--format json`` has their values."""
    names = sorted(facets.keys() - listed)
    yield from _list_lines("facets", [", ".join(names)] if names else [])


@click.command()
@click.argument(
    "name", metavar="[DATASET|JOB]", required=False, shell_complete=options.complete_dataset
)
@click.option(
    "--state",
    "states",
    multiple=True,
    type=click.Choice(STATES, case_sensitive=False),
    help="Only runs in this state; repeatable. `running` includes `start`.",
)
@options.time_option("--since", "Only runs that began at that time or later.")
@options.time_option("--until", "Only runs that began before that time.")
@options.limit_option(20)
@options.format_option(*render.ROWS)
@options.dsn
def runs(
    name: str | None,
    states: tuple[str, ...],
    since: str | None,
    until: str | None,
    limit: int,
    form: str,
    dsn: str | None,
) -> None:
    """List the runs that accessed a dataset, the runs of a job, or all runs, newest first.

    A run began at the time of its first event.

    \b
    Examples:
      lineage runs gold/revenue
      lineage runs report_delays --limit 5 --format jsonl
      lineage runs --state FAIL --since 2026-01-31
    """
    where = RunFilter(states, since, until)
    with Session(dsn) as session:
        rows, columns = _read_runs(session, name, limit, where, form)
        archive = find_archive_of_list(session, where, is_cut=len(rows) == limit)
    if form == "table":
        width = terminal.line_width()
        rows = [_short_row(row) for row in rows]
        if width is not None and width < NARROW:
            columns = _fitting_columns(columns, rows)
    render.emit_rows(rows, form, columns)
    report_archive(archive)


def _read_runs(
    session: Session, name: str | None, limit: int, where: RunFilter, form: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows and columns of the runs of ``name``, a dataset or a job, or of all jobs."""
    if name is None:
        every = list_runs(session, limit, where)
        names = job_names.of_records(every) if form == "table" else {}
        return [_job_run_row(each, names) for each in every], JOB_RUN_COLUMNS
    try:
        accesses = list_dataset_runs(session, name, limit, where)
    except NotFound:
        try:
            job_runs = list_job_runs(session, name, limit, where)
        except NotFound:
            message = f'No dataset and no job is called "{name}".'
            raise NotFound(message, suggest_names(session, name)) from None
        return [_run_row(run) for run in job_runs], RUN_COLUMNS
    rows = [_access_row(each) for each in accesses]
    if form == "table" and terminal.line_width() is not None:
        rows = _with_short_names(rows, accesses)
    return rows, ACCESS_COLUMNS


def _job_run_row(each: JobRun, names: Mapping[Job, str]) -> dict[str, Any]:
    job = each.job and (names.get(each.job) or each.job.full_name)
    return {**_run_row(each.run), "job": job}


def _run_row(run: Run) -> dict[str, Any]:
    return {
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "state": run.state,
        "run_id": run.run_id,
        "error": run.error,
    }


def _access_row(access: Access) -> dict[str, Any]:
    job: Job | None = access.job
    dataset: Dataset = access.dataset
    return {
        **_run_row(access.run),
        "did": access.access_kind,
        "dataset": dataset.full_name,
        "job": job.full_name if job else None,
        "facets": access.facets,
    }


def _with_short_names(
    rows: Sequence[dict[str, Any]], accesses: Sequence[Access]
) -> list[dict[str, Any]]:
    names = job_names.of_records(accesses)
    did = {"was to write": "to write"}
    return [
        {
            **row,
            "job": access.job and job_names.full_names(access.job, names),
            "did": did.get(access.access_kind, access.access_kind),
        }
        for row, access in zip(rows, accesses, strict=True)
    ]


def _fitting_columns(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return columns for a narrow table: one time, the duration if it fits, and errors if any."""
    has_errors = any(row["error"] for row in rows)
    omitted = set() if has_errors else {"error"}
    if all(row["started_at"] for row in rows):
        omitted.add("ended_at")
        took = [] if has_errors and "job" in columns else ["took"]
    else:
        took = []
        omitted |= {"started_at"} if all(row["ended_at"] for row in rows) else set()
    columns_left = [column for column in columns if column not in omitted]
    at = columns_left.index("state")
    return [*columns_left[:at], *took, *columns_left[at:]]


def _one_line(error: str | None) -> str | None:
    """Return the most informative line of an error; an ellipsis marks further lines."""
    line = first_line(error)
    return f"{line}…" if line and line == (error or "").split("\n")[0] != error else line or None


def _short_row(row: dict[str, Any]) -> dict[str, Any]:
    """Shorten a row for a terminal: times to the second, one line of an error."""
    return {
        **row,
        "error": _one_line(row["error"]),
        "started_at": render.format_time(row["started_at"]),
        "ended_at": render.format_time(row["ended_at"]),
        "took": render.format_duration(row["started_at"], row["ended_at"]),
    }
