"""A connection to the database that is made anew where the one before has ended."""

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
    """One connection, opened at its first use. Of one thread at a time."""

    def __init__(self, dsn: str | None, settings: str = "") -> None:
        """``settings`` are statements for each new connection."""
        self._dsn = dsn
        self._settings = settings.encode()
        self._conn: psycopg.Connection[Any] | None = None

    def run_retrying(self, work: Callable[[psycopg.Connection[Any]], T]) -> T:
        """Return what ``work`` returns; where the connection has ended meanwhile it is done again.

        So ``work`` has to be one transaction, or to change nothing. Raises what it raises.
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
        """End the connection."""
        if self._conn:
            self._conn.close()
