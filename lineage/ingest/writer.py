"""Write events in batches of one transaction each, acknowledged once they are on disk."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from lineage.database.errors import translate_errors
from lineage.eventlog import log
from lineage.events.designs import reports_design
from lineage.events.entry import Entry, read_entry
from lineage.events.merge import BATCH_BYTES, BATCH_SIZE, Batch
from lineage.projection.project import project_batch
from lineage.projection.transaction import retry_exclusively

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

    import psycopg
    from typing_extensions import Self

SMALL_BATCH = 500  # is written if no other batch is being written


@dataclass(frozen=True, slots=True)
class Written:
    """The number of events, and the number of those that were new to the log."""

    count: int = 0
    new: int = 0

    @property
    def duplicate_count(self) -> int:
        """The number of events that were in the log already, or repeated."""
        return self.count - self.new

    def __add__(self, other: Written) -> Written:
        return Written(self.count + other.count, self.new + other.new)


def write_events(
    conn: psycopg.Connection[Any], events: Iterable[str | bytes], batch_size: int = BATCH_SIZE
) -> Written:
    """Write ``events``, each a JSON text, and return when all are committed.

    Raises InvalidEvent for the first that cannot be read; batches before it remain committed.
    """
    with EventWriter(conn, batch_size) as emitter:
        for event in events:
            emitter.emit(event)
    return emitter.written


class EventWriter:
    """Writes events into the log and the graph, in batches of ``batch_size``.

    Events passed to ``emit`` are durable after ``flush``, or after the ``with`` block has ended. If
    an exception ends the block, the events emitted before are still written. A full batch is
    written while the next one is read. The connection must therefore not be used meanwhile, and
    must not be in a transaction. If ``deferred``, the caller completes the summaries by
    ``projection.deferred.finish_summaries``.
    """

    def __init__(
        self, conn: psycopg.Connection[Any], batch_size: int = BATCH_SIZE, *, deferred: bool = False
    ) -> None:
        self._write = partial(write_entries, conn, deferred=deferred)
        self._batch_size = batch_size
        self._pending: list[Entry] = []
        self._bytes = 0
        self._beside: ThreadPoolExecutor | None = None
        self._writing: tuple[list[Entry], Future[int]] | None = None
        self._repeats = False  # the previous batch had events that were in the log
        self.written = Written()

    def emit(self, event: str | bytes) -> list[str]:
        """Add one event; return its parts that could not be read and are omitted.

        Raises InvalidEvent, in which case the event is not added. Raises DatabaseError if an
        earlier batch could not be written; the event is added.
        """
        entry = read_entry(event)
        self._pending.append(entry)
        self._bytes += len(entry.body)
        if self._has_reached_size():
            self._write_in_thread()
        return entry.event.all_omitted()

    def flush(self) -> Written:
        """Write all pending events; return the count of all events written so far."""
        self._join_thread()
        if self._pending:
            new = self._write(self._pending)
            self.written += Written(len(self._pending), new)
            self._pending.clear()
            self._bytes = 0
        return self.written

    def _has_reached_size(self) -> bool:
        count = len(self._pending)
        if count >= self._batch_size or self._bytes >= BATCH_BYTES:
            return True
        return count >= SMALL_BATCH and self._is_idle()

    def _is_idle(self) -> bool:
        return self._writing is None or self._writing[1].done()

    def _write_in_thread(self) -> None:
        """Write the pending events in a thread, once it has written the previous batch."""
        # Merge while waiting, unless duplicates are likely: the merge would have to be repeated.
        merged = None if self._is_idle() or self._repeats else Batch.merge_entries(self._pending)
        self._join_thread()
        self._beside = self._beside or ThreadPoolExecutor(1, "lineage-emitter")
        batch, self._pending, self._bytes = self._pending, [], 0
        self._writing = batch, self._beside.submit(self._write, batch, merged)

    def _join_thread(self) -> None:
        """Wait for the thread. A batch that it could not write becomes pending again."""
        if self._writing is None:
            return
        (batch, written), self._writing = self._writing, None
        try:
            new = written.result()
        except BaseException:
            self._pending[:0] = batch
            raise
        self._repeats = new < len(batch)
        self.written += Written(len(batch), new)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if kind is None or issubclass(kind, Exception):
                self.flush()
        finally:
            if self._beside:
                self._beside.shutdown()


def write_entries(
    conn: psycopg.Connection[Any],
    entries: Sequence[Entry],
    merged: Batch | None = None,
    *,
    deferred: bool = False,
) -> int:
    """Write one batch in one transaction; return the number of events new to the log.

    ``merged`` is the merged batch, if it has been computed already. ``deferred`` is that of
    ``project_batch``. Raises DatabaseError; then no event of the batch is written.
    """
    write = partial(_write_batch, conn, entries, merged, deferred)
    with translate_errors():
        if any(reports_design(entry.event) for entry in entries):
            return write(exclusive=True)  # the first attempt would be in vain
        return retry_exclusively(write)


def _write_batch(
    conn: psycopg.Connection[Any],
    entries: Sequence[Entry],
    merged: Batch | None,
    deferred: bool,
    *,
    exclusive: bool,
) -> int:
    with conn.transaction():
        new = log.append_events(conn, entries)
        if new:
            batch = merged if merged and len(new) == len(entries) else Batch.merge_entries(new)
            project_batch(conn, batch, exclusive=exclusive, deferred=deferred)
        return len(new)
