"""The connection that all queries use."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from lineage.database.connection import connect_migrated
from lineage.database.errors import translate_errors
from lineage.database.reconnecting import ReconnectingConnection
from lineage.query.arguments import need_in_range

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    import psycopg
    from typing_extensions import Self

    from lineage.database.statements import Row, Statement

_ONE_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


class Session:
    """A connection in autocommit mode. Its methods raise DatabaseError for database errors.

    A session opened by a DSN connects again if it is used after ``close``, or after its connection
    was lost.
    """

    def __init__(self, dsn: str | None = None) -> None:
        """Connect to ``dsn``, LINEAGE_DSN or the private server.

        Raises DatabaseUnavailable, NotMigrated, UsageError.
        """
        self._borrowed: psycopg.Connection[Any] | None = None
        self._own = ReconnectingConnection(dsn, connect=connect_migrated)
        _ = self._own.open_connection

    @classmethod
    def over(cls, conn: psycopg.Connection[Any]) -> Self:
        """Return a session on a connection in autocommit mode that the caller owns."""
        session = cls.__new__(cls)
        session._borrowed = conn
        return session

    @property
    def connection(self) -> psycopg.Connection[Any]:
        """The connection; that of the session is opened again if it was closed or lost."""
        return self._own.open_connection if self._borrowed is None else self._borrowed

    def close(self) -> None:
        """Close the connection."""
        (self._own if self._borrowed is None else self._borrowed).close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def fetch(self, statement: Statement[Row], /, **params: object) -> list[Row]:
        """Return all rows of a statement. Raises UsageError as ``need_in_range`` does."""
        need_in_range(**params)
        with translate_errors():
            return statement.fetch(self.connection, **params)

    def fetch_one(self, statement: Statement[Row], /, **params: object) -> Row | None:
        """Return the first row of a statement like ``fetch``, or None if it returns no row."""
        need_in_range(**params)
        with translate_errors():
            return statement.fetch_one(self.connection, **params)

    def fetch_rows(self, statement: str, params: Any = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a statement given as text, as tuples."""
        with translate_errors():
            return self.connection.execute(statement, params).fetchall()

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Run the block in a read-only transaction with one snapshot, taken by its first query."""
        with translate_errors(), self.connection.transaction():
            self.connection.execute(_ONE_SNAPSHOT)
            yield
