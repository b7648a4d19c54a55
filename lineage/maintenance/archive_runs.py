"""Move the facts of old runs to an event lake; the summaries go on counting these runs."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg

from lineage.database.errors import translate_errors
from lineage.database.rights import require_owner
from lineage.database.statements import StatementFile
from lineage.database.writer_lock import lock_exclusively
from lineage.eventlog import run_files
from lineage.eventlog.lake_files import absolute_location
from lineage.eventlog.run_files import ArchivedAccess
from lineage.maintenance.months import MonthRow, project_pending, start_of_month
from lineage.projection import deferred
from lineage.projection.archived_runs import RUNS_AT_ONCE, close_runs, merge_groups, move_runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineage.eventlog.run_files import RunFile

    Connection = psycopg.Connection[Any]

# The schema has the operators of graphid.
_USE_GRAPH_TYPES = "SET LOCAL search_path = pg_catalog, ag_catalog"
_SQL = StatementFile(__file__)
_INSERT_ARCHIVE = _SQL.statement("insert_archive", str)
_SELECT_OLDEST = _SQL.statement("select_oldest_month", MonthRow)
_SELECT_RUNS = _SQL.statement("select_runs", int)
_SELECT_ACCESSES = _SQL.statement("select_accesses", ArchivedAccess)
_ADD_RUNS = _SQL.statement("add_runs")


def archive_runs(conn: Connection, before: str, lake: str) -> Iterator[RunFile]:
    """Move the ended runs of the months before ``before`` to files of a lake; yield each file.

    A run belongs to the month of its last event. The runs that answers about later times need stay.
    A month is deleted in the transaction that wrote its file; the collector appends to the log
    meanwhile, and its events are projected afterwards. The runs count as archived from the first
    month on: if it cannot be written, or no run is to be moved, nothing changes. Raises UsageError
    if ``before`` is not a time; QueryError if it lies in the future, or if the role is not the
    owner; LakeError if a file cannot be written.
    """
    require_owner(conn, "archive runs")
    floor = start_of_month(conn, before)
    project_pending(conn)
    with _exclusive_transaction(conn):
        archived_at = _INSERT_ARCHIVE.fetch_one(conn, before=floor, lake=absolute_location(lake))
        close_runs(conn, floor)
        file = _archive_month(conn, str(archived_at), lake)
        if file is None:
            raise psycopg.Rollback
    while file:
        yield file
        with _exclusive_transaction(conn):
            file = _archive_month(conn, str(archived_at), lake)
    with _exclusive_transaction(conn):
        merge_groups(conn)


def _archive_month(conn: Connection, archived_at: str, lake: str) -> RunFile | None:
    """Move the runs of the oldest month that has some; return None if no month has any."""
    deferred.add_all(conn)
    month = _SELECT_OLDEST.fetch_one(conn)
    if month is None:
        return None
    runs = _SELECT_RUNS.fetch(conn, start=month.start, end=month.end)
    groups = [runs[at : at + RUNS_AT_ONCE] for at in range(0, len(runs), RUNS_AT_ONCE)]
    accesses = _read_accesses(conn, groups, archived_at)
    file = run_files.write_file(lake, month.month, archived_at, accesses)
    _ADD_RUNS.execute(conn, archived_at=archived_at, runs=runs)
    for group in groups:
        move_runs(conn, group)
    return file


@contextmanager
def _exclusive_transaction(conn: Connection) -> Iterator[None]:
    with translate_errors(), conn.transaction():
        lock_exclusively(conn)
        conn.execute(_USE_GRAPH_TYPES)
        yield


def _read_accesses(
    conn: Connection, groups: Sequence[Sequence[int]], archived_at: str
) -> Iterator[ArchivedAccess]:
    for group in groups:
        yield from _SELECT_ACCESSES.fetch(conn, runs=group, archived_at=archived_at)
