"""Small questions to the database beside the writing: one connection, one question at a time."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from lineage.database.connection import connect
from lineage.errors import DatabaseUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

T = TypeVar("T")


class Lookups:
    """Asks in a thread, so that requests go on meanwhile; an ended connection is made anew."""

    def __init__(self, dsn: str | None) -> None:
        self._dsn = dsn
        self._conn: psycopg.Connection[Any] | None = None
        self._lock = threading.Lock()

    async def ask(self, question: Callable[[psycopg.Connection[Any]], T]) -> T:
        """Return the answer to ``question``. Raises DatabaseError."""
        return await asyncio.to_thread(self._ask, question)

    def _ask(self, question: Callable[[psycopg.Connection[Any]], T]) -> T:
        with self._lock:
            if self._conn is not None and not self._conn.closed:
                try:
                    return question(self._conn)
                except DatabaseUnavailable:
                    self._conn.close()
            self._conn = connect(self._dsn, autocommit=True)
            return question(self._conn)

    def close(self) -> None:
        """End the connection."""
        if self._conn:
            self._conn.close()
