"""A separate connection for short queries, which do not wait for writes; one at a time."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from lineage.database.reconnecting import ReconnectingConnection

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

T = TypeVar("T")


class SideConnection:
    """Runs queries in a thread, so that the event loop is not blocked."""

    def __init__(self, dsn: str | None) -> None:
        self._connection = ReconnectingConnection(dsn)
        self._lock = threading.Lock()

    async def run_query(self, query: Callable[[psycopg.Connection[Any]], T]) -> T:
        """Run ``query`` on the connection. Raises DatabaseError."""
        return await asyncio.to_thread(self._run_query, query)

    def _run_query(self, query: Callable[[psycopg.Connection[Any]], T]) -> T:
        with self._lock:
            return self._connection.run_retrying(query)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
