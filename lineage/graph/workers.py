"""Writing events by several processes: each reads, merges and draws its share, batch after batch.

What is said of one run goes to one process, as far as that can be seen without reading the event:
two that write parts of one run wait for each other.
"""

from __future__ import annotations

import multiprocessing
import re
import signal
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from lineage.errors import DatabaseError, InvalidEvent, LineageError
from lineage.graph import log
from lineage.graph.batch import BATCH_BYTES, BATCH_SIZE
from lineage.graph.emitter import SMALL_BATCH, Written, write_entries

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.context import SpawnContext
    from types import TracebackType

    import psycopg
    from typing_extensions import Self

_RUN = re.compile(r'"runId"\s*:\s*"([^"]*)"')


class Item(NamedTuple):
    """The JSON text of one event and where it was read: a file and a line."""

    place: str
    text: str


class Done(NamedTuple):
    """What became of some events: how many were written, and why others could not be read."""

    written: Written
    bad: list[InvalidEvent]


class Workers:
    """Processes that write events, each with a connection of its own.

    ``told`` is called with what was done, now and then. What a process has written stays written,
    whatever becomes of the others; all is written once the ``with`` block has ended without an
    error. DatabaseError may be raised by all that is done here.
    """

    def __init__(self, dsn: str | None, count: int, told: Callable[[Done], None]) -> None:
        """``dsn`` is as ``lineage.connect`` takes it."""
        # Not forked: who calls may have threads and connections.
        context = multiprocessing.get_context("spawn")
        self._workers = [_Worker(context, dsn) for _ in range(count)]
        self._told = told

    def emit(self, item: Item) -> None:
        """Take one event."""
        found = _RUN.search(item.text)
        worker = self._workers[crc32(found[1].encode()) % len(self._workers) if found else 0]
        worker.take(item)
        if worker.is_full():
            self._finish(worker)
            worker.begin()
        elif worker.waiting == SMALL_BATCH:
            self._finish_those_that_are_done()
            if not worker.is_busy():
                worker.begin()

    def _finish_those_that_are_done(self) -> None:
        busy = {each.connection: each for each in self._workers if each.is_busy()}
        for connection in wait(busy, timeout=0):
            self._finish(busy[connection])  # type: ignore[index]

    def _finish(self, worker: _Worker) -> None:
        if worker.is_busy():
            self._told(worker.finish())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                for worker in self._workers:
                    self._finish(worker)
                    worker.begin()
                for worker in self._workers:
                    self._finish(worker)
        finally:
            for worker in self._workers:
                worker.close()


class _Worker:
    """One process as the others see it: what it has to do next, and what it is doing."""

    def __init__(self, context: SpawnContext, dsn: str | None) -> None:
        self.connection, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other, dsn), daemon=True)
        self._process.start()
        other.close()  # so that the end of the process is seen
        self._next: list[Item] = []
        self._bytes = 0
        self._doing: list[str] = []  # the places

    @property
    def waiting(self) -> int:
        """How many events it has to do next."""
        return len(self._next)

    def is_full(self) -> bool:
        return self._bytes >= BATCH_BYTES or len(self._next) >= BATCH_SIZE

    def is_busy(self) -> bool:
        return bool(self._doing)

    def take(self, item: Item) -> None:
        self._next.append(item)
        self._bytes += len(item.text)

    def begin(self) -> None:
        """Give it what it has to do next."""
        if self._next:
            self._doing = [place for place, _ in self._next]
            texts, self._next, self._bytes = [text for _, text in self._next], [], 0
            with suppress(BrokenPipeError):  # why it ended is told below
                self.connection.send(texts)

    def finish(self) -> Done:
        """Wait until it has done what it was given."""
        try:
            said = self.connection.recv()
        except (EOFError, ConnectionError):
            raise DatabaseError(
                "A process that writes events was killed, perhaps for want of memory.",
                "Give the same events again, to fewer --workers: nothing goes in twice.",
            ) from None
        if isinstance(said, LineageError):
            raise said
        count, new, bad = said
        doing, self._doing = self._doing, []
        errors = [InvalidEvent(f"{doing[at]}: {message}", hint) for at, message, hint in bad]
        return Done(Written(count, new), errors)

    def close(self) -> None:
        """Let it end, once it has done what it is doing."""
        self.connection.close()
        self._process.join()


def _work(connection: Connection, dsn: str | None) -> None:
    """Write what comes until nothing more can come: whoever sends it has ended, or was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; the others tell us
    from lineage.database.connection import connect

    conn = None
    with suppress(EOFError, ConnectionError):
        try:
            while True:
                texts = connection.recv()
                conn = conn or connect(dsn, autocommit=True)
                connection.send(_written(conn, texts))
        except LineageError as error:
            connection.send(error)
    if conn:
        conn.close()


def _written(
    conn: psycopg.Connection[object], texts: list[str]
) -> tuple[int, int, list[tuple[int, str, str | None]]]:
    """Write events; return how many, how many of them were new, and what could not be read."""
    entries: list[log.Entry] = []
    bad = []
    for at, text in enumerate(texts):
        try:
            entries.append(log.read(text))
        except InvalidEvent as error:
            bad.append((at, error.message, error.hint))
    return len(entries), write_entries(conn, entries), bad
