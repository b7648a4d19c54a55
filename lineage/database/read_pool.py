"""Questions to the graph: some connections that can only read, each for one question at a time."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from queue import LifoQueue
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from lineage.database.errors import errors
from lineage.database.reconnecting import Connection
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


class Readers:
    """Asks in threads of its own, so that who reads holds up nobody who writes."""

    def __init__(self, dsn: str | None) -> None:
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="lineage-reading")
        self._idle: LifoQueue[Connection] = LifoQueue()
        for _ in range(_AT_ONCE):
            self._idle.put(Connection(dsn, _SETTINGS))

    async def ask(self, question: Question[T]) -> T:
        """Return the answer to ``question``. Raises LineageError."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._ask, question)

    def _ask(self, question: Question[T]) -> T:
        connection = self._idle.get()
        try:
            return connection.do(lambda conn: _answer(conn, question))
        except QueryError as error:
            if getattr(error.__cause__, "sqlstate", None) == _CANCELLED:
                message = f"The query was cancelled after {_SECONDS} s."
                hint = "Reduce depth or limit, or add a filter."
                raise QueryTimeout(message, hint) from error
            raise
        finally:
            self._idle.put(connection)

    def close(self) -> None:
        """End, when the last question is answered."""
        self._threads.shutdown()
        while not self._idle.empty():
            self._idle.get().close()


def _answer(conn: psycopg.Connection[Any], question: Question[T]) -> T:
    with errors():
        return question(conn)
