"""A pool of read-only connections; each runs one query at a time."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from queue import LifoQueue
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from lineage.database.errors import translate_errors
from lineage.database.reconnecting import ReconnectingConnection
from lineage.errors import QueryError, QueryTimeout

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    T = TypeVar("T")
    Question: TypeAlias = Callable[[psycopg.Connection[Any]], T]

_AT_ONCE = 4
_SECONDS = 30
_SETTINGS = f"SET default_transaction_read_only = on; SET statement_timeout = '{_SECONDS}s'"
_CANCELLED = "57014"


class ReadPool:
    """Runs queries in separate threads, so that reads do not delay writes."""

    def __init__(self, dsn: str | None) -> None:
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="lineage-reading")
        self._idle: LifoQueue[ReconnectingConnection] = LifoQueue()
        for _ in range(_AT_ONCE):
            self._idle.put(ReconnectingConnection(dsn, _SETTINGS))

    async def run_query(self, question: Question[T]) -> T:
        """Run ``question`` on an idle connection. Raises LineageError."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._run_query, question)

    def _run_query(self, question: Question[T]) -> T:
        connection = self._idle.get()
        try:
            return connection.run_retrying(lambda conn: _answer_on(conn, question))
        except QueryError as error:
            if getattr(error.__cause__, "sqlstate", None) == _CANCELLED:
                message = f"The query was cancelled after {_SECONDS} s."
                hint = "Reduce depth or limit, or add a filter."
                raise QueryTimeout(message, hint) from error
            raise
        finally:
            self._idle.put(connection)

    def close(self) -> None:
        """Wait for running queries, then close all connections."""
        self._threads.shutdown()
        while not self._idle.empty():
            self._idle.get().close()


def _answer_on(conn: psycopg.Connection[Any], question: Question[T]) -> T:
    with translate_errors():
        return question(conn)
