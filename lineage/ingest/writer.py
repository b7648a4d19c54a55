"""Writing events: in batches, each one transaction, acknowledged once it is on disk."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from lineage.database.errors import translate_errors
from lineage.eventlog import log
from lineage.events.entry import Entry, read_entry
from lineage.events.merge import BATCH_BYTES, BATCH_SIZE, Batch
from lineage.projection.locks import retry_exclusively
from lineage.projection.project import project_batch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType

    import psycopg
    from typing_extensions import Self

SMALL_BATCH = 500  # is written where no other is being written


@dataclass(frozen=True, slots=True)
class Written:
    """How many events were given, and how many of them the log had not seen before."""

    count: int = 0
    new: int = 0

    @property
    def duplicate_count(self) -> int:
        """How many were known already, or given twice."""
        return self.count - self.new

    def __add__(self, other: Written) -> Written:
        return Written(self.count + other.count, self.new + other.new)


def write_events(
    conn: psycopg.Connection[Any], events: Iterable[str | bytes], batch_size: int = BATCH_SIZE
) -> Written:
    """Write ``events``, each the JSON text of one, and return when all are committed.

    Raises InvalidEvent for the first that cannot be read; batches before it stay written.
    """
    with EventWriter(conn, batch_size) as emitter:
        for event in events:
            emitter.emit(event)
    return emitter.written


class EventWriter:
    """Writes events into the log and the graph, ``batch_size`` at a time.

    What ``emit`` has taken is safe after ``flush``, or when the ``with`` block has ended. When the
    block ends by an error, what was emitted before is still written. A batch that is full is
    written while the next one is read: the connection is not to be used meanwhile, and must not be
    inside a transaction.
    """

    def __init__(self, conn: psycopg.Connection[Any], batch_size: int = BATCH_SIZE) -> None:
        self._conn = conn
        self._batch_size = batch_size
        self._pending: list[Entry] = []
        self._bytes = 0
        self._beside: ThreadPoolExecutor | None = None
        self._writing: tuple[list[Entry], Future[int]] | None = None
        self._repeats = False  # the batch before had events that the log knew
        self.written = Written()

    def emit(self, event: str | bytes) -> list[str]:
        """Take one event; return what of it could not be read and is left out.

        Raises InvalidEvent, and then has taken nothing.

        Raises DatabaseError where a batch before it could not be written; the event is taken.
        """
        entry = read_entry(event)
        self._pending.append(entry)
        self._bytes += len(entry.body)
        if self._has_reached_size():
            self._write_beside()
        return entry.event.all_left_out()

    def flush(self) -> Written:
        """Write what was taken; return the count of all that was written so far."""
        self._join_thread()
        if self._pending:
            new = write_entries(self._conn, self._pending)
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

    def _write_beside(self) -> None:
        """Let a thread write what was taken, once it has written the batch before."""
        # Who waits anyway may merge. What is known already would be merged in vain.
        merged = None if self._is_idle() or self._repeats else Batch.merge_entries(self._pending)
        self._join_thread()
        self._beside = self._beside or ThreadPoolExecutor(1, "lineage-emitter")
        batch, self._pending, self._bytes = self._pending, [], 0
        self._writing = batch, self._beside.submit(write_entries, self._conn, batch, merged)

    def _join_thread(self) -> None:
        """Wait for the thread. What it could not write is taken back, to be tried again."""
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
    conn: psycopg.Connection[Any], entries: Sequence[Entry], merged: Batch | None = None
) -> int:
    """Write one batch in one transaction; return how many of it the log had not seen before.

    ``merged`` is what all of it says together, where that is known already. Raises DatabaseError;
    then nothing of the batch is written.
    """
    with translate_errors():
        return retry_exclusively(partial(_write_batch, conn, entries, merged))


def _write_batch(
    conn: psycopg.Connection[Any],
    entries: Sequence[Entry],
    merged: Batch | None,
    *,
    exclusive: bool,
) -> int:
    with conn.transaction():
        new = log.append_events(conn, entries)
        if new:
            batch = merged if merged and len(new) == len(entries) else Batch.merge_entries(new)
            project_batch(conn, batch, exclusive=exclusive)
        return len(new)
