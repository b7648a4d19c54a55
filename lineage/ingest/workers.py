"""Write events in several processes, each of which parses, merges and projects batches.

A batch contains the events of some jobs only, as far as jobs can be recognized without parsing.
Batches with the same jobs would both update these jobs, and batches with the same runs would wait
for each other's locks.
"""

from __future__ import annotations

import multiprocessing
import re
import signal
from contextlib import contextmanager, suppress
from itertools import chain
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from lineage.errors import DatabaseError, InvalidEvent, LineageError
from lineage.events.entry import JOB_PATTERN, Entry, read_entry
from lineage.events.merge import BATCH_BYTES, BATCH_SIZE
from lineage.garbage import pause_collection
from lineage.ingest.writer import SMALL_BATCH, Written, write_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.context import SpawnContext
    from types import TracebackType

    from typing_extensions import Self

# Number of events sent at a time: each larger message would allocate memory again.
_PIECE = 50

_JOB = re.compile(JOB_PATTERN.encode())


class Item(NamedTuple):
    """The JSON text of one event, in UTF-8, and its origin: a file and a line."""

    place: str
    text: bytes


class Done(NamedTuple):
    """The result of some events: the number written, and the errors of unreadable ones.

    ``omitted`` has, by the origin of an event, its parts that could not be read.
    """

    written: Written
    bad: list[InvalidEvent]
    omitted: Sequence[tuple[str, list[str]]] = ()


class Workers:
    """Processes that write events, each with a separate connection; the first event starts them.

    ``on_done`` is called with the results of finished batches. A batch that a process has written
    remains written, even if another process fails. After the ``with`` block all events are written,
    even if an exception of the caller ended it. The caller completes the summaries by
    ``projection.deferred.finish_summaries``. All methods may raise DatabaseError.
    """

    def __init__(self, dsn: str | None, count: int, on_done: Callable[[Done], None]) -> None:
        """``count``: number of processes. ``dsn`` is that of ``lineage.connect``."""
        self._dsn = dsn
        self._workers: list[_Worker] = []
        self._shares = [WorkerBatch() for _ in range(count)]
        self._on_done = on_done

    def start_processes(self) -> None:
        """Start the processes, unless they have been started."""
        if not self._workers:
            # Not forked: the caller may have threads and connections.
            context = multiprocessing.get_context("spawn")
            with _blocked_interrupts():
                self._workers = [_Worker(context, self._dsn) for _ in self._shares]

    def emit(self, item: Item) -> None:
        """Add one event."""
        self.start_processes()
        match = _JOB.search(item.text)
        share = self._shares[crc32(match[1]) % len(self._shares) if match else 0]
        share.add_item(item)
        if share.has_reached_size():
            self._wait_for_worker().start_batch(share)
        elif len(share.texts) == SMALL_BATCH:
            self._collect_results()
            if worker := self._find_idle_worker():
                worker.start_batch(share)

    def flush(self) -> None:
        """Write all pending events, and wait until they are written."""
        for share in self._shares:
            if share.texts:
                self._wait_for_worker().start_batch(share)
        for worker in self._workers:
            if worker.is_busy:
                self._on_done(worker.wait_until_done())

    def _find_idle_worker(self) -> _Worker | None:
        """Return a process that has nothing to do, or None."""
        return next((worker for worker in self._workers if not worker.is_busy), None)

    def _wait_for_worker(self) -> _Worker:
        """Wait for a process that has nothing to do, and return it."""
        while not (worker := self._find_idle_worker()):
            self._collect_results(timeout=None)
        return worker

    def _collect_results(self, timeout: float | None = 0) -> None:
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
    """The pending events of some jobs."""

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
        """Return places and texts, and clear the batch."""
        items = self.places, self.texts
        self.places, self.texts, self._bytes = [], [], 0
        return items


class _Worker:
    """The handle of a process, with the origins of the events that it is writing."""

    def __init__(self, context: SpawnContext, dsn: str | None) -> None:
        self.connection, other = context.Pipe()
        self._process = context.Process(target=_run_worker, args=(other, dsn), daemon=True)
        self._process.start()
        other.close()  # so that the end of the process is detected
        self._doing: list[str] = []
        self.has_failed = False

    @property
    def is_busy(self) -> bool:
        return bool(self._doing)

    def start_batch(self, share: WorkerBatch) -> None:
        """Send the events of a batch to the process."""
        self._doing, texts = share.take_items()
        with suppress(BrokenPipeError):  # the reason is reported by wait_until_done
            for n in range(0, len(texts), _PIECE):
                self.connection.send(texts[n : n + _PIECE])
            self.connection.send([])

    def wait_until_done(self) -> Done:
        """Wait until the process has written its batch. Raises DatabaseError if it was killed."""
        self.has_failed = True  # until a reply reports success
        try:
            reply = self.connection.recv()
        except (EOFError, ConnectionError):
            raise DatabaseError(
                "A process that writes events was killed, possibly because memory ran out.",
                "Run the same command again with fewer --workers;"
                " events already stored are skipped.",
            ) from None
        if isinstance(reply, LineageError):
            raise reply
        self.has_failed = False
        count, new, bad, omitted = reply
        doing, self._doing = self._doing, []
        errors = [InvalidEvent(f"{doing[at]}: {message}", hint) for at, message, hint in bad]
        return Done(Written(count, new), errors, [(doing[at], parts) for at, parts in omitted])

    def close(self) -> None:
        """Close the connection, and wait until the process has finished its batch and ended."""
        self.connection.close()
        self._process.join()


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Block SIGINT in the processes that the block starts: their parent handles it.

    A process that blocked it by itself would be interrupted while it imports its modules.
    """
    resource_tracker.ensure_running()  # its start unblocks the signal
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)


def _run_worker(connection: Connection, dsn: str | None) -> None:
    """Write received batches until the sending process closes the connection or ends."""
    from lineage.database.connection import connect

    conn = None
    with suppress(EOFError, ConnectionError):
        try:
            while True:
                entries, bad, omitted = _read_entries(connection)
                conn = conn or connect(dsn, autocommit=True)
                with pause_collection():
                    new = write_entries(conn, entries, deferred=True)
                connection.send((len(entries), new, bad, omitted))
        except LineageError as error:
            connection.send(error)
    if conn:
        conn.close()


def _read_entries(
    connection: Connection,
) -> tuple[list[Entry], list[tuple[int, str, str | None]], list[tuple[int, list[str]]]]:
    """Receive events up to an empty piece; return them, the errors, and the omitted parts."""
    entries: list[Entry] = []
    bad, omitted = [], []
    pieces = iter(connection.recv, [])
    for at, text in enumerate(chain.from_iterable(pieces)):
        try:
            entries.append(read_entry(text))
        except InvalidEvent as error:
            bad.append((at, error.message, error.hint))
        else:
            if parts := entries[-1].event.all_omitted():
                omitted.append((at, parts))
    return entries, bad, omitted
