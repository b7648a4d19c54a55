"""A pool of read-only connections; each runs one query at a time."""

from __future__ import annotations

import asyncio
import contextlib
from concurrent.futures import ThreadPoolExecutor
from queue import LifoQueue
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import psycopg

from lineage.database.errors import translate_errors
from lineage.database.reconnecting import ReconnectingConnection
from lineage.errors import QueryError, QueryTimeout

if TYPE_CHECKING:
    from collections.abc import Callable

    T = TypeVar("T")
    Query: TypeAlias = Callable[[psycopg.Connection[Any]], T]

_AT_ONCE = 4
_SECONDS = 30
_SETTINGS = f"SET default_transaction_read_only = on; SET statement_timeout = '{_SECONDS}s'"
_CANCELLED = "57014"
_CANCEL_SECONDS = 5


class _RunningQuery:
    """The connection on which a query runs; None before and after."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._conn: psycopg.Connection[Any] | None = None
        self._is_cancelled = False

    def run_on(self, conn: psycopg.Connection[Any], query: Query[T]) -> T:
        """Run a query. Raises QueryTimeout if it has been cancelled before."""
        with self._lock:
            if self._is_cancelled:
                raise QueryTimeout("The query was cancelled.")
            self._conn = conn
        try:
            with translate_errors():
                return query(conn)
        finally:
            with self._lock:  # so that the next query of the connection is not cancelled
                self._conn = None

    def cancel_query(self) -> None:
        """Cancel the statement that runs."""
        with self._lock, contextlib.suppress(psycopg.Error):
            self._is_cancelled = True
            if self._conn is not None:
                self._conn.cancel_safe(timeout=_CANCEL_SECONDS)


class ReadPool:
    """Runs queries in separate threads, so that reads do not delay writes."""

    def __init__(self, dsn: str | None) -> None:
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="lineage-reading")
        self._idle: LifoQueue[ReconnectingConnection] = LifoQueue()
        for _ in range(_AT_ONCE):
            self._idle.put(ReconnectingConnection(dsn, _SETTINGS))

    async def run_query(self, query: Query[T]) -> T:
        """Run ``query`` on an idle connection. Raises LineageError.

        If the caller is cancelled, so is the statement.
        """
        loop = asyncio.get_running_loop()
        running = _RunningQuery()
        try:
            return await loop.run_in_executor(self._threads, self._run_query, query, running)
        except asyncio.CancelledError:
            loop.run_in_executor(None, running.cancel_query)
            raise

    def _run_query(self, query: Query[T], running: _RunningQuery) -> T:
        connection = self._idle.get()
        try:
            return connection.run_retrying(lambda conn: running.run_on(conn, query))
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
