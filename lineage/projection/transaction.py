"""Settings of a transaction that projects events, and its repetition under the exclusive lock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lineage.database import functions
from lineage.database.binary_arrays import adapt_arrays
from lineage.database.statements import StatementFile
from lineage.errors import DatabaseError

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    Result = TypeVar("Result")


class NeedsExclusiveLock(Exception):
    """The batch changes the canonical dataset of an alias, or reports a design.

    The caller projects it again in a new transaction, under the exclusive lock.
    """


class TransactionRow(NamedTuple):
    """The isolation level and the settings of the transaction, and whether runs are archived.

    ``function_set``: checksum of the SQL functions of the database.
    """

    isolation: str
    has_archive: bool
    function_set: str | None
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

    It has to have the lock of writers: a migration, which has it exclusively, may replace the
    functions. Raises DatabaseError if the isolation level is not READ COMMITTED, NotMigrated if the
    database has the SQL functions of another version.
    """
    adapt_arrays(conn)
    row = PREPARE_TRANSACTION.fetch_one(conn)
    if not row or row.isolation != "read committed":
        raise DatabaseError(
            "Events cannot be written in a transaction that is not READ COMMITTED.",
            "Set the isolation level of the connection to READ COMMITTED.",
        )
    if row.function_set != functions.checksum_of_this_version():
        raise functions.other_version(conn.info.dbname)
    return row.has_archive


def retry_exclusively(attempt: Callable[..., Result]) -> Result:
    """Call ``attempt(exclusive=False)``; if it needs the exclusive lock, ``exclusive=True``.

    Each attempt has to be a separate transaction.
    """
    try:
        return attempt(exclusive=False)
    except NeedsExclusiveLock:
        return attempt(exclusive=True)
