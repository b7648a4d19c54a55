"""Move old months of the event log to an event lake, from which the graph can be rebuilt."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.errors import translate_errors
from lineage.database.rights import require_owner
from lineage.database.statements import StatementFile
from lineage.errors import DatabaseError
from lineage.eventlog import archived, lake_files
from lineage.eventlog.lake_files import LakeEvent, LakeFile
from lineage.maintenance.months import MonthRow, project_pending, start_of_month
from lineage.maintenance.retention import limit_waiting, need_forwarded

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

# Attempts to archive a month in which events arrive meanwhile.
_ATTEMPTS = 3

_DROP_EVENTS = "SELECT lineage.drop_events(%s::timestamptz)"
_LOCK = "LOCK TABLE lineage.event IN ACCESS EXCLUSIVE MODE"


class RemainderRow(NamedTuple):
    """The number of events before a time, and whether some of them are not in the graph yet."""

    events: int
    is_pending: bool


_SQL = StatementFile(__file__)
_SELECT_OLDEST = _SQL.statement("select_oldest_month", MonthRow)
_SELECT_EVENTS = _SQL.statement("select_events", LakeEvent, binary=True)
_SELECT_REMAINDER = _SQL.statement("select_remainder", RemainderRow)
_INSERT_RETENTION = _SQL.statement("insert_retention")


def archive_months(conn: psycopg.Connection[Any], before: str, lake: str) -> Iterator[LakeFile]:
    """Move the events of the months before ``before`` to files of a lake; yield each file.

    A month is dropped from the log in the transaction that registers its file, after the file was
    read back. Plan documents stay. Raises UsageError if ``before`` is not a time, or if events are
    still to be forwarded; QueryError if ``before`` lies in the future, or if the role is not the
    owner; LakeError if a file cannot be written; DatabaseError if events keep arriving in a month.
    """
    require_owner(conn, "archive a part of the log")
    floor = start_of_month(conn, before)
    project_pending(conn)
    while month := _SELECT_OLDEST.fetch_one(conn, before=floor):
        yield _archive_month(conn, month, lake)


def _archive_month(conn: psycopg.Connection[Any], month: MonthRow, lake: str) -> LakeFile:
    for _ in range(_ATTEMPTS):
        with translate_errors():
            rows = _SELECT_EVENTS.stream_rows(conn, start=month.start, end=month.end)
            with closing(rows) as events:
                file = lake_files.write_file(lake, month.month, events)
            if _drop_archived(conn, month, file):
                return file
        project_pending(conn)
    raise DatabaseError(
        f"Events of {month.month} arrive while the month is archived.",
        "Archive the month when its jobs have ended.",
    )


def _drop_archived(conn: psycopg.Connection[Any], month: MonthRow, file: LakeFile) -> bool:
    """Register a file and drop its events; return False if the log has others of that month."""
    with conn.transaction():
        limit_waiting(conn)
        conn.execute(_LOCK)
        need_forwarded(conn, month.end)
        [remainder] = _SELECT_REMAINDER.fetch(conn, before=month.end)
        # Events are never deleted from the log, so equal numbers are equal sets.
        if remainder.is_pending or remainder.events != file.events:
            return False
        archived.register_file(conn, file)
        _INSERT_RETENTION.execute(conn, retained_from=month.end, events=file.events)
        conn.execute(_DROP_EVENTS, (month.end,))
    return True
