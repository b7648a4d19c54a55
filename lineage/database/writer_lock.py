"""The advisory lock of all transactions that write the graph, shared or exclusive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

# See the table of locks in docs/explanation/projection.md.
_KEY = 5463243
_SHARED = "SELECT pg_advisory_xact_lock_shared(%s)"
_EXCLUSIVE = "SELECT pg_advisory_xact_lock(%s)"


def acquire_lock(conn: psycopg.Connection[Any], *, exclusive: bool) -> None:
    """Take the lock, shared with other writers or exclusively, until the transaction ends.

    It is taken before any table lock: a transaction that waits for a rebuild must not hold a lock
    on a table that the rebuild empties.
    """
    if exclusive:
        lock_exclusively(conn)
    else:
        conn.execute(_SHARED, (_KEY,))


def lock_exclusively(conn: psycopg.Connection[Any]) -> None:
    """Wait until all other writers end, and block new ones until this transaction ends."""
    conn.execute(_EXCLUSIVE, (_KEY,))
