"""A database connection that is opened again after it has been lost."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from lineage.database.connection import connect
from lineage.database.errors import translate_errors
from lineage.errors import DatabaseUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

T = TypeVar("T")

_CONNECT = partial(connect, autocommit=True)


class ReconnectingConnection:
    """A connection, opened at its first use. Not safe for use by several threads at once."""

    def __init__(
        self,
        dsn: str | None,
        settings: str = "",
        *,
        connect: Callable[[str | None], psycopg.Connection[Any]] = _CONNECT,
    ) -> None:
        """Store ``settings``: SQL statements to run on each new connection.

        ``connect`` opens a connection in autocommit mode.
        """
        self._dsn = dsn
        self._connect = connect
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
        return work(self.open_connection)

    @property
    def open_connection(self) -> psycopg.Connection[Any]:
        """The connection; opened if it is not open yet, was closed or was lost."""
        if self._conn is None or self._conn.closed:
            self._conn = self._connect_with_settings()
        return self._conn

    def close(self) -> None:
        """Close the connection; the next use opens another one."""
        if self._conn is not None:
            self._conn.close()

    def _connect_with_settings(self) -> psycopg.Connection[Any]:
        conn = self._connect(self._dsn)
        try:
            if self._settings:
                with translate_errors():
                    conn.execute(self._settings)
        except BaseException:
            conn.close()  # without its settings, a query might write or run without a limit
            raise
        return conn
