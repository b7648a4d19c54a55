"""Runs that the summaries FEEDS and DERIVES do not count yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    import psycopg

_SQL = StatementFile(__file__)
_COUNT_JOBS = _SQL.statement("count_deferred_jobs", int)


def count_deferred_jobs(conn: psycopg.Connection[Any]) -> int:
    """Return the number of jobs with such runs, of 10,000 contributions of each summary.

    There are some while events are written from files, and after that was interrupted.
    """
    with translate_errors():
        [jobs] = _COUNT_JOBS.fetch(conn)
    return jobs
