"""Months that are moved out of the database: their bounds, and the work that comes before."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.errors import QueryError, UsageError
from lineage.openlineage import timestamps
from lineage.plan_documents import queue
from lineage.projection import backlog

if TYPE_CHECKING:
    import psycopg


class MonthRow(NamedTuple):
    """A month as 2026-01, its first instant and that of the next month."""

    month: str
    start: str
    end: str


_SQL = StatementFile(__file__)
_SELECT_FLOOR = _SQL.statement("select_floor", str)
_MONTH = re.compile(r"\d{4}-\d\d", re.ASCII)


def read_time(text: str) -> str:
    """Convert a time, a date or a month, such as 2026-01, to ISO 8601 in UTC.

    The months of the log are those of UTC, so that a time without an offset is one in UTC. Raises
    UsageError if the text is none of these.
    """
    try:
        return timestamps.of_event(f"{text}-01" if _MONTH.fullmatch(text) else text)
    except ValueError as reason:
        raise UsageError(
            f'The time "{text}" {reason}.',
            "Write it as 2026-01, 2026-01-31 or 2026-01-31T18:00:00Z.",
        ) from None


def start_of_month(conn: psycopg.Connection[Any], before: str) -> str:
    """Return the first instant of the month of a time.

    Raises UsageError if ``before`` is not a time, QueryError if that instant lies in the future.
    """
    time = read_time(before)
    with translate_errors():
        floor = _SELECT_FLOOR.fetch_one(conn, before=time)
    if floor is None:
        raise QueryError(
            f"The time {before} is in the future.",
            "Specify a month that has begun.",
        )
    return floor


def project_pending(conn: psycopg.Connection[Any]) -> None:
    """Convert all pending plan documents and project all pending events."""
    while queue.convert_pending(conn) or backlog.project_pending(conn):
        pass
