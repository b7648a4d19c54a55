"""Run lineage: runs whose writes were visible to a read, or in a dataset at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query.archive import need_inputs_in_graph, need_time_in_graph, read_archive
from lineage.query.arguments import need_direction
from lineage.query.names import resolve_dataset, resolve_run
from lineage.query.records import Dataset, Run, job_of
from lineage.query.run_history import row_of_run
from lineage.query.run_records import RunDependency, RunLineage, RunVolume
from lineage.query.time_arguments import time_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.query.records import OneWay
    from lineage.query.session import Session
    from lineage.query.time_arguments import TimeArgument

# Nothing changed between an earlier event and the time before which runs are archived.
_NOW = """
SELECT lineage.iso8601(greatest(lineage.latest_event_time(), lineage.runs_archived_before()))
"""


class LinkRow(NamedTuple):
    """A read of a dataset by a run, or as of a time, and the writer of a visible write."""

    distance: int
    reader: list[Any] | None
    dataset: int
    namespace: str
    name: str
    version: str | None
    writer: list[Any] | None
    job: int | None
    job_namespace: str | None
    job_name: str | None
    written: str | None
    exact: bool
    total: int


class VolumeRow(NamedTuple):
    """A run, its job, and the numbers of rows that it read and wrote."""

    run_id: str
    job: int | None
    job_namespace: str | None
    job_name: str | None
    rows_read: int | None
    rows_written: int | None


_RUN_BY_NAME = "SELECT lineage.run_record(r) FROM lineage.run r WHERE r.run_id = %s"

_SQL = StatementFile(__file__)
_SELECT_DEPENDENCIES = _SQL.statement("select_dependencies", LinkRow)
_SELECT_VOLUMES = _SQL.statement("select_volumes", VolumeRow)


def trace_runs(
    session: Session,
    run_id: str,
    direction: OneWay = "upstream",
    depth: int | None = None,
    *,
    limit: int | None = None,
    perhaps: bool = False,
) -> RunLineage:
    """Trace the runs whose writes a run read, or the runs that read its writes.

    Downstream is the reverse of upstream: a run that read before the write is not included.
    ``limit``: maximum number of dependencies, nearest first. ``perhaps``: also follow writes that a
    newer write of the same job may have replaced.
    """
    need_direction(direction)
    with session.snapshot():
        run = read_run_with_inputs(session, run_id)
        rows = session.fetch(
            _SELECT_DEPENDENCIES, run_id=run.run_id, direction=direction, dataset=None, at=None,
            depth=depth, perhaps=perhaps, limit=limit,
        )  # fmt: skip
        links, omitted = _read_links(rows)
        volumes = _read_volumes(session, links, run)
        archive = read_archive(session)
    return RunLineage(run, None, depth, links, volumes, direction, perhaps, omitted, archive)


def trace_runs_at(
    session: Session,
    name: str,
    time: TimeArgument | None = None,
    depth: int | None = None,
    *,
    limit: int | None = None,
    perhaps: bool = False,
) -> RunLineage:
    """Trace the runs whose writes were visible in a dataset at a time, and their upstream.

    ``time``: ISO 8601; without an offset, in the time zone of this machine; None for the time of
    the latest event. Raises UsageError if the text is not a time.
    """
    with session.snapshot():
        root, at = resolve_dataset_at(session, name, time)
        rows = session.fetch(
            _SELECT_DEPENDENCIES, run_id=None, direction=None, dataset=root.id, at=at,
            depth=depth, perhaps=perhaps, limit=limit,
        )  # fmt: skip
        links, omitted = _read_links(rows)
        volumes = _read_volumes(session, links)
        archive = read_archive(session)
    return RunLineage(root, at, depth, links, volumes, "upstream", perhaps, omitted, archive)


def resolve_dataset_at(
    session: Session, name: str, time: TimeArgument | None
) -> tuple[Dataset, str]:
    """Resolve the dataset and the time; a time of None is that of the latest event.

    Raises UsageError if runs from before a later time are archived.
    """
    if time is not None:
        at = time_of(time)
        need_time_in_graph(session, at)
    else:
        [(at,)] = session.fetch_rows(_NOW, ())
    return resolve_dataset(session, name), at


def read_run(session: Session, run_id: str) -> Run:
    run_id = resolve_run(session, run_id)
    (run,) = row_of_run(session.fetch_rows(_RUN_BY_NAME, (run_id,)), run_id)
    return Run(*run)


def read_run_with_inputs(session: Session, run_id: str) -> Run:
    """Resolve and read a run. Raises UsageError if its inputs may be archived."""
    run = read_run(session, run_id)
    need_inputs_in_graph(session, run)
    return run


def _read_links(rows: Sequence[LinkRow]) -> tuple[tuple[RunDependency, ...], int]:
    """Build the dependencies of rows; return them and the number of omitted ones."""
    links = tuple(
        RunDependency(
            row.distance,
            Run(*row.reader) if row.reader else None,
            Dataset(row.dataset, row.namespace, row.name),
            row.version,
            Run(*row.writer) if row.writer else None,
            job_of(row.job, row.job_namespace, row.job_name),
            row.written,
            row.exact,
        )
        for row in rows
    )
    return links, rows[0].total - len(links) if rows else 0


def _read_volumes(
    session: Session, links: Sequence[RunDependency], root: Run | None = None
) -> tuple[RunVolume, ...]:
    """Read how much each run of the dependencies read and wrote, in their order."""
    runs = [root, *(run for link in links for run in (link.reader, link.writer))]
    run_ids = list(dict.fromkeys(run.run_id for run in runs if run))
    return tuple(
        RunVolume(
            row.run_id,
            job_of(row.job, row.job_namespace, row.job_name),
            row.rows_read,
            row.rows_written,
        )
        for row in session.fetch(_SELECT_VOLUMES, run_ids=run_ids)
    )
