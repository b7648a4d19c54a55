"""Group commit: one transaction for the entries of all requests that are pending."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from lineage.database.errors import translate_errors
from lineage.database.reconnecting import ReconnectingConnection
from lineage.errors import DatabaseUnavailable, QueueFull

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import psycopg

    OnWritten: TypeAlias = Callable[[int | Exception], None]
    _Result: TypeAlias = tuple[OnWritten, int | Exception]

LOG = logging.getLogger(__name__)

MAX_PENDING_BYTES = 64 << 20  # bytes that wait for a commit
MAX_COMMIT_BYTES = 8 << 20


class Entry(Protocol):
    """A text to write, with its key."""

    @property
    def sha256(self) -> bytes: ...
    @property
    def body(self) -> str | bytes: ...


E = TypeVar("E", bound=Entry)


@dataclass(slots=True)
class _PendingRequest(Generic[E]):
    """The entries of one request; ``on_written`` gets the number of new ones, or the error."""

    entries: Sequence[E]
    size: int
    on_written: OnWritten


class GroupCommitWriter(Generic[E]):
    """Writes the entries of requests in a separate thread.

    Entries that arrive during a commit are written together by the next one, up to a limit of size.
    """

    def __init__(
        self,
        dsn: str | None,
        append: Callable[[psycopg.Connection[Any], list[E]], Iterable[E]],
        written: Callable[[], None],
    ) -> None:
        """``append`` writes entries in one transaction and returns the new ones.

        ``written`` is called in the thread after each commit of new entries.
        """
        self._connection = ReconnectingConnection(dsn)
        self._append = append
        self._written = written
        self._queue: SimpleQueue[_PendingRequest[E] | None] = SimpleQueue()
        self._gathered: list[_PendingRequest[E]] = []
        self._lock = threading.Lock()
        self._pending_bytes = 0
        self._commit_began: float | None = None
        self._thread = threading.Thread(target=self._commit_groups, name="lineage-writer")
        self._thread.start()

    @property
    def pending_bytes(self) -> int:
        """The size of the entries that are not committed yet."""
        return self._pending_bytes

    @property
    def commit_seconds(self) -> float:
        """The seconds since the current commit began; 0 if there is none."""
        began = self._commit_began
        return 0.0 if began is None else time.monotonic() - began

    async def write_entries(self, entries: Sequence[E]) -> int:
        """Write entries, and return the number of new ones when they are on disk.

        Raises QueueFull, DatabaseError and DatabaseUnavailable; then none is written. Cancelling
        does not withdraw the entries.
        """
        written: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.submit_entries(entries, partial(_set_result, written))
        return await written

    def submit_entries(self, entries: Sequence[E], on_written: OnWritten) -> None:
        """Queue entries to be written. Raises QueueFull.

        The running loop calls ``on_written`` with the result or the error of ``write_entries``.
        """
        size = sum(len(entry.body) for entry in entries)
        with self._lock:
            if self._pending_bytes and self._pending_bytes + size > MAX_PENDING_BYTES:
                raise QueueFull
            self._pending_bytes += size
        if not self._gathered:
            self._loop = asyncio.get_running_loop()
            self._loop.call_soon(self._hand_over)
        self._gathered.append(_PendingRequest(entries, size, on_written))

    def _hand_over(self) -> None:
        """Queue the requests of one iteration of the loop, so that one commit has them all."""
        for request in self._gathered:
            self._queue.put(request)
        self._gathered.clear()

    def close(self) -> None:
        """Write the queued entries, and end the thread."""
        self._queue.put(None)
        self._thread.join()
        self._connection.close()

    def _commit_groups(self) -> None:
        while (first := self._queue.get()) is not None:
            requests, is_last = self._drain_queue(first)
            self._commit_began = time.monotonic()
            self._commit_requests(requests)
            self._commit_began = None
            with self._lock:
                self._pending_bytes -= sum(request.size for request in requests)
            if is_last:
                return

    def _drain_queue(self, first: _PendingRequest[E]) -> tuple[list[_PendingRequest[E]], bool]:
        requests, size = [first], first.size
        while size < MAX_COMMIT_BYTES:
            try:
                request = self._queue.get_nowait()
            except Empty:
                break
            if request is None:
                return requests, True
            requests.append(request)
            size += request.size
        return requests, False

    def _commit_requests(self, requests: list[_PendingRequest[E]]) -> None:
        """Write requests in one commit; if it fails, each alone, as one may have caused it."""
        try:
            entries = [entry for request in requests for entry in request.entries]
            new = self._connection.run_retrying(lambda conn: self._append_entries(conn, entries))
        except Exception as error:  # noqa: BLE001 - every request must get a response
            if len(requests) > 1 and not isinstance(error, DatabaseUnavailable):
                for request in requests:
                    self._commit_requests([request])
                return
            LOG.error("%d requests could not be written: %s", len(requests), error)
            self._report_results([(request.on_written, error) for request in requests])
            return
        self._report_results(
            [(r.on_written, sum(entry.sha256 in new for entry in r.entries)) for r in requests]
        )
        if new:
            self._wake_projector()

    def _wake_projector(self) -> None:
        """Call ``written``. Its failure must not end the thread: the entries are on disk."""
        try:
            self._written()
        except Exception:
            LOG.exception("The projector could not be woken; it polls its queue.")

    def _report_results(self, results: Sequence[_Result]) -> None:
        """Report all results in one call, because waking the loop is expensive."""
        with suppress(RuntimeError):  # the loop is closed, and no request is waiting
            self._loop.call_soon_threadsafe(_call_back, results)

    def _append_entries(self, conn: psycopg.Connection[Any], entries: list[E]) -> set[bytes]:
        """Write entries, and return the keys of the new ones."""
        with translate_errors():
            return {entry.sha256 for entry in self._append(conn, entries)}


def _call_back(results: Sequence[_Result]) -> None:
    for on_written, result in results:
        on_written(result)


def _set_result(written: asyncio.Future[int], result: int | Exception) -> None:
    if written.done():  # its request was cancelled
        return
    if isinstance(result, Exception):
        written.set_exception(result)
    else:
        written.set_result(result)
