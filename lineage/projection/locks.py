"""Settings and advisory lock of a transaction that projects events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lineage.database.binary_arrays import adapt_arrays
from lineage.database.statements import StatementFile
from lineage.errors import DatabaseError

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    Result = TypeVar("Result")

# Key of the advisory lock: "lineage" on the keys of a telephone.
_KEY = 5463243
_SHARED = "SELECT pg_advisory_xact_lock_shared(%s)"
_EXCLUSIVE = "SELECT pg_advisory_xact_lock(%s)"


class NeedsExclusiveLock(Exception):
    """The batch changes what an alias resolves to, or reports a design.

    It is to be projected again in a new transaction, under the exclusive lock.
    """


class TransactionRow(NamedTuple):
    """The isolation level, and the settings of the transaction."""

    isolation: str
    seqscan: str
    hashjoin: str
    mergejoin: str
    jit: str
    plan_cache_mode: str
    search_path: str


_SQL = StatementFile(__file__)
PREPARE_TRANSACTION = _SQL.statement("prepare_transaction", TransactionRow)


def prepare_transaction(conn: psycopg.Connection[Any]) -> None:
    """Set the planner's settings for this transaction.

    Raises DatabaseError unless its isolation level is READ COMMITTED.
    """
    adapt_arrays(conn)
    row = PREPARE_TRANSACTION.fetch_one(conn)
    if not row or row.isolation != "read committed":
        raise DatabaseError(
            "Events are written in a transaction that is not READ COMMITTED.",
            "Set the isolation level of the connection to READ COMMITTED.",
        )


def acquire_lock(conn: psycopg.Connection[Any], *, exclusive: bool) -> None:
    """Take the advisory lock, shared with other projections or exclusively.

    It is taken before any table: who waits for a rebuild must hold none that it empties.
    """
    if exclusive:
        lock_exclusively(conn)
    else:
        conn.execute(_SHARED, (_KEY,))


def lock_exclusively(conn: psycopg.Connection[Any]) -> None:
    """Wait for all other projections to end, and let none begin before this transaction ends."""
    conn.execute(_EXCLUSIVE, (_KEY,))


def retry_exclusively(attempt: Callable[..., Result]) -> Result:
    """Return what ``attempt(exclusive=False)`` does; try exclusively if it needs that lock.

    Each attempt is a transaction of its own.
    """
    try:
        return attempt(exclusive=False)
    except NeedsExclusiveLock:
        return attempt(exclusive=True)
