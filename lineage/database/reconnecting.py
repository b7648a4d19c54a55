"""A database connection that is opened again after it has been lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from lineage.database.connection import connect
from lineage.database.errors import translate_errors
from lineage.errors import DatabaseUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

T = TypeVar("T")


class ReconnectingConnection:
    """A connection, opened at its first use. Not safe for use by several threads at once."""

    def __init__(self, dsn: str | None, settings: str = "") -> None:
        """Store ``settings``: SQL statements to run on each new connection."""
        self._dsn = dsn
        self._settings = settings.encode()
        self._conn: psycopg.Connection[Any] | None = None

    def run_retrying(self, work: Callable[[psycopg.Connection[Any]], T]) -> T:
        """Call ``work`` with the connection; after a lost connection, reconnect and call it again.

        ``work`` has to be one transaction or read-only. Its errors are raised.
        """
        if self._conn is not None and not self._conn.closed:
            try:
                return work(self._conn)
            except DatabaseUnavailable:
                self._conn.close()
        self._conn = connect(self._dsn, autocommit=True)
        if self._settings:
            with translate_errors():
                self._conn.execute(self._settings)
        return work(self._conn)

    def close(self) -> None:
        """Close the connection."""
        if self._conn:
            self._conn.close()
