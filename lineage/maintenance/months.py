"""Months that are moved out of the database: their bounds, and the work that comes before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.errors import QueryError
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


def start_of_month(conn: psycopg.Connection[Any], before: str) -> str:
    """Return the first instant of the month of a time.

    Raises QueryError if ``before`` is not a time, or if that instant lies in the future.
    """
    with translate_errors():
        floor = _SELECT_FLOOR.fetch_one(conn, before=before)
    if floor is None:
        raise QueryError(f"The time {before} is in the future.", "Archive months that have ended.")
    return floor


def project_pending(conn: psycopg.Connection[Any]) -> None:
    """Convert all pending plan documents and project all pending events."""
    while queue.convert_pending(conn) or backlog.project_pending(conn):
        pass
