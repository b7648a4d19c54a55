"""Small questions to the database beside the writing: one connection, one question at a time."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from lineage.database.reconnecting import Connection

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

T = TypeVar("T")


class Lookups:
    """Asks in a thread, so that requests go on meanwhile."""

    def __init__(self, dsn: str | None) -> None:
        self._connection = Connection(dsn)
        self._lock = threading.Lock()

    async def ask(self, question: Callable[[psycopg.Connection[Any]], T]) -> T:
        """Return the answer to ``question``. Raises DatabaseError."""
        return await asyncio.to_thread(self._ask, question)

    def _ask(self, question: Callable[[psycopg.Connection[Any]], T]) -> T:
        with self._lock:
            return self._connection.do(question)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()
