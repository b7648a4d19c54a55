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

# Key of the advisory lock; see the table of locks in docs/explanation/projection.md.
_KEY = 5463243
_SHARED = "SELECT pg_advisory_xact_lock_shared(%s)"
_EXCLUSIVE = "SELECT pg_advisory_xact_lock(%s)"


class NeedsExclusiveLock(Exception):
    """The batch changes the canonical dataset of an alias, or reports a design.

    The caller projects it again in a new transaction, under the exclusive lock.
    """


class TransactionRow(NamedTuple):
    """The isolation level and the settings of the transaction, and whether runs are archived."""

    isolation: str
    has_archive: bool
    seqscan: str
    hashjoin: str
    mergejoin: str
    jit: str
    plan_cache_mode: str
    search_path: str


_SQL = StatementFile(__file__)
PREPARE_TRANSACTION = _SQL.statement("prepare_transaction", TransactionRow)


def prepare_transaction(conn: psycopg.Connection[Any]) -> bool:
    """Set the planner settings of this transaction; return whether runs are archived.

    Raises DatabaseError if its isolation level is not READ COMMITTED.
    """
    adapt_arrays(conn)
    row = PREPARE_TRANSACTION.fetch_one(conn)
    if not row or row.isolation != "read committed":
        raise DatabaseError(
            "Events cannot be written in a transaction that is not READ COMMITTED.",
            "Set the isolation level of the connection to READ COMMITTED.",
        )
    return row.has_archive


def acquire_lock(conn: psycopg.Connection[Any], *, exclusive: bool) -> None:
    """Take the advisory lock, shared with other projections or exclusively.

    It is taken before any table lock: a transaction that waits for a rebuild must not hold a lock
    on a table that the rebuild empties.
    """
    if exclusive:
        lock_exclusively(conn)
    else:
        conn.execute(_SHARED, (_KEY,))


def lock_exclusively(conn: psycopg.Connection[Any]) -> None:
    """Wait until all other projections end, and block new ones until this transaction ends."""
    conn.execute(_EXCLUSIVE, (_KEY,))


def retry_exclusively(attempt: Callable[..., Result]) -> Result:
    """Call ``attempt(exclusive=False)``; if it needs the exclusive lock, ``exclusive=True``.

    Each attempt has to be a separate transaction.
    """
    try:
        return attempt(exclusive=False)
    except NeedsExclusiveLock:
        return attempt(exclusive=True)
