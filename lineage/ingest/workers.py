"""Writing events by several processes: each reads, merges and draws a batch, and another one.

A batch has what is said of some jobs alone, as far as that can be seen without reading the events:
two that speak of the same jobs have both to write what their runs say together, and of the same
runs they wait for each other.
"""

from __future__ import annotations

import multiprocessing
import re
import signal
from contextlib import suppress
from itertools import chain
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from lineage.errors import DatabaseError, InvalidEvent, LineageError
from lineage.events.entry import Entry, read_entry
from lineage.events.merge import BATCH_BYTES, BATCH_SIZE
from lineage.ingest.writer import SMALL_BATCH, Written, write_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.context import SpawnContext
    from types import TracebackType

    from typing_extensions import Self

# So many events are sent at a time: memory for more is taken from the system anew each time.
_PIECE = 50

# The job of an event, or that of its parent run; any other division gives the same graph.
_JOB = re.compile(rb'"job"\s*:\s*\{[^{}]*?"name"\s*:\s*"([^"]*)"')


class Item(NamedTuple):
    """The JSON text of one event, in UTF-8, and where it was read: a file and a line."""

    place: str
    text: bytes


class Done(NamedTuple):
    """What became of some events: how many were written, and why others could not be read.

    ``left_out`` has, with the place of an event, what could not be read of it.
    """

    written: Written
    bad: list[InvalidEvent]
    left_out: Sequence[tuple[str, list[str]]] = ()


class Workers:
    """Processes that write events, each with a connection of its own.

    ``on_done`` is called with what was done, now and then. What a process has written stays
    written, whatever becomes of the others. Once the ``with`` block has ended all is written, also
    where an error of somebody else ended it. DatabaseError may be raised by all that is done here.
    """

    def __init__(self, dsn: str | None, count: int, on_done: Callable[[Done], None]) -> None:
        """``dsn`` is as ``lineage.connect`` takes it."""
        # Not forked: who calls may have threads and connections.
        context = multiprocessing.get_context("spawn")
        self._workers = [_Worker(context, dsn) for _ in range(count)]
        self._shares = [WorkerBatch() for _ in range(count)]
        self._on_done = on_done

    def emit(self, item: Item) -> None:
        """Take one event."""
        match = _JOB.search(item.text)
        share = self._shares[crc32(match[1]) % len(self._shares) if match else 0]
        share.add_item(item)
        if share.has_reached_size():
            self._wait_for_worker().start_batch(share)
        elif len(share.texts) == SMALL_BATCH:
            self._finish_those_that_are_done()
            if worker := self._find_idle_worker():
                worker.start_batch(share)

    def flush(self) -> None:
        """Write what was taken, and wait until all of it is written."""
        for share in self._shares:
            if share.texts:
                self._wait_for_worker().start_batch(share)
        for worker in self._workers:
            if worker.is_busy:
                self._on_done(worker.wait_until_done())

    def _find_idle_worker(self) -> _Worker | None:
        """Return a process that has nothing to do, if there is one."""
        return next((worker for worker in self._workers if not worker.is_busy), None)

    def _wait_for_worker(self) -> _Worker:
        """Wait for a process that has nothing to do."""
        while not (worker := self._find_idle_worker()):
            self._finish_those_that_are_done(timeout=None)
        return worker

    def _finish_those_that_are_done(self, timeout: float | None = 0) -> None:
        busy = {each.connection: each for each in self._workers if each.is_busy}
        for connection in wait(busy, timeout):
            self._on_done(busy[connection].wait_until_done())  # type: ignore[index]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            is_ours = any(worker.has_failed for worker in self._workers)
            if not is_ours and (kind is None or issubclass(kind, Exception)):
                self.flush()
        finally:
            for worker in self._workers:
                worker.close()


class WorkerBatch:
    """What is to be written next of some jobs."""

    def __init__(self) -> None:
        self.places: list[str] = []
        self.texts: list[bytes] = []
        self._bytes = 0

    def add_item(self, item: Item) -> None:
        self.places.append(item.place)
        self.texts.append(item.text)
        self._bytes += len(item.text)

    def has_reached_size(self) -> bool:
        return self._bytes >= BATCH_BYTES or len(self.texts) >= BATCH_SIZE

    def take_items(self) -> tuple[list[str], list[bytes]]:
        """Return places and texts, and have none any more."""
        items = self.places, self.texts
        self.places, self.texts, self._bytes = [], [], 0
        return items


class _Worker:
    """One process as the others see it, and the places of what it is writing."""

    def __init__(self, context: SpawnContext, dsn: str | None) -> None:
        self.connection, other = context.Pipe()
        self._process = context.Process(target=_run_worker, args=(other, dsn), daemon=True)
        self._process.start()
        other.close()  # so that the end of the process is seen
        self._doing: list[str] = []
        self.has_failed = False

    @property
    def is_busy(self) -> bool:
        return bool(self._doing)

    def start_batch(self, share: WorkerBatch) -> None:
        """Let it write what a share has."""
        self._doing, texts = share.take_items()
        with suppress(BrokenPipeError):  # why it ended is told below
            for n in range(0, len(texts), _PIECE):
                self.connection.send(texts[n : n + _PIECE])
            self.connection.send([])

    def wait_until_done(self) -> Done:
        """Wait until it has done what it was given."""
        self.has_failed = True  # until it has said otherwise
        try:
            reply = self.connection.recv()
        except (EOFError, ConnectionError):
            raise DatabaseError(
                "A process that writes events was killed, perhaps for want of memory.",
                "Give the same events again, to fewer --workers: nothing goes in twice.",
            ) from None
        if isinstance(reply, LineageError):
            raise reply
        self.has_failed = False
        count, new, bad, left_out = reply
        doing, self._doing = self._doing, []
        errors = [InvalidEvent(f"{doing[at]}: {message}", hint) for at, message, hint in bad]
        return Done(Written(count, new), errors, [(doing[at], parts) for at, parts in left_out])

    def close(self) -> None:
        """Let it end, once it has done what it is doing."""
        self.connection.close()
        self._process.join()


def _run_worker(connection: Connection, dsn: str | None) -> None:
    """Write what comes until nothing more can come: whoever sends it has ended, or was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; the others tell us
    from lineage.database.connection import connect

    conn = None
    with suppress(EOFError, ConnectionError):
        try:
            while True:
                entries, bad, left_out = _read_entries(connection)
                conn = conn or connect(dsn, autocommit=True)
                connection.send((len(entries), write_entries(conn, entries), bad, left_out))
        except LineageError as error:
            connection.send(error)
    if conn:
        conn.close()


def _read_entries(
    connection: Connection,
) -> tuple[list[Entry], list[tuple[int, str, str | None]], list[tuple[int, list[str]]]]:
    """Return the events that come, to an empty piece, and what could not be read of them."""
    entries: list[Entry] = []
    bad, left_out = [], []
    pieces = iter(connection.recv, [])
    for at, text in enumerate(chain.from_iterable(pieces)):
        try:
            entries.append(read_entry(text))
        except InvalidEvent as error:
            bad.append((at, error.message, error.hint))
        else:
            if parts := entries[-1].event.all_left_out():
                left_out.append((at, parts))
    return entries, bad, left_out
