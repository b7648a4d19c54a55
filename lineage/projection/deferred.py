"""Add contributions to the summaries that other transactions have deferred.

A transaction that defers the summaries stores the contributions of its runs; they are deleted in
the transaction that adds them. After a crash, each run has been counted once or is still stored.
Edges that existed before have smaller numbers of runs meanwhile, and new edges are missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.database.writer_lock import acquire_lock
from lineage.projection import derives, feeds
from lineage.projection.transaction import prepare_transaction

if TYPE_CHECKING:
    from collections.abc import Sequence

    import psycopg

    Connection = psycopg.Connection[Any]

# Jobs whose contributions are added in one transaction.
_JOBS = 200
_SQL = StatementFile(__file__)
_SELECT_JOBS = _SQL.statement("select_jobs", int)


def finish_summaries(conn: Connection) -> None:
    """Add all deferred contributions, those of some jobs in each transaction.

    Raises DatabaseError; contributions that were not added remain stored.
    """
    jobs = [0]
    while jobs:
        with translate_errors(), conn.transaction():
            acquire_lock(conn, exclusive=False)
            prepare_transaction(conn)
            jobs = _add_next(conn, jobs[-1])


def add_before(conn: Connection, claims: Sequence[object]) -> None:
    """Add all deferred contributions if aliases are to be reassigned: pairs name canonical ids."""
    if claims:
        add_all(conn)


def add_all(conn: Connection) -> None:
    """Add all deferred contributions in the caller's transaction, which has the exclusive lock."""
    jobs = [0]
    while jobs:
        jobs = _add_next(conn, jobs[-1])


def _add_next(conn: Connection, last: int) -> list[int]:
    """Add the contributions of the jobs that follow ``last``; return them, sorted."""
    jobs = _SELECT_JOBS.fetch(conn, last=last, limit=_JOBS)
    feeds.add_deferred(conn, jobs)
    derives.add_deferred(conn, jobs)
    return jobs
