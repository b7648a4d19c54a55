"""Write events and plan documents from files, directories and standard input."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from lineage.errors import DatabaseError, InvalidEvent
from lineage.events.merge import BATCH_BYTES, BATCH_SIZE
from lineage.ingest.completion import Completion
from lineage.ingest.sources import Reading, may_never_end, read_items
from lineage.ingest.workers import Workers
from lineage.ingest.writer import EventWriter, Written
from lineage.projection.deferred import finish_summaries
from lineage.sized_groups import take_group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import psycopg

    from lineage.ingest.sources import Listener
    from lineage.ingest.workers import Done, Item

REPORT_EVERY = 500


def ingest_source(
    conn: psycopg.Connection[Any],
    source: str,
    listener: Listener,
    exit_code: int | None = None,
    *,
    workers: int = 1,
    dsn: str | None = None,
) -> None:
    """Write all events of ``source``: a file, a directory or ``-``.

    ``exit_code`` is that of the application whose plan documents are in ``source``. Events beyond
    the first batch are written by ``workers`` processes, if there is more than one, which connect
    as ``lineage.connect(dsn)`` does. The summaries are completed when all events are written. Those
    of a pipe, which may never end, are completed every few seconds and when it is idle. Raises
    UsageError, SpoolError and DatabaseError; events reported as written remain written.
    """
    reading = Reading()
    items = read_items(source, listener, exit_code, reading)
    endless = may_never_end(source)
    done = partial(_report_done, listener, reading)
    with _finished_summaries(conn), Workers(dsn, workers, done) as writing:
        own = take_batch(items, writing) if workers > 1 else items
        _write_items(conn, own, listener, reading, endless=endless)
        if endless:  # the next event may take long to come
            finish_summaries(conn)
        for item in _watch_items(conn, items, writing.flush) if endless else items:
            writing.emit(item)


def take_batch(items: Iterator[Item], workers: Workers) -> Iterator[Item]:
    """Yield the events of one batch; pass the next one, if there is one, to ``workers``.

    Their processes start then, while the caller writes the batch.
    """
    yield from take_group(((item, len(item.text)) for item in items), BATCH_BYTES, BATCH_SIZE)
    for item in islice(items, 1):
        workers.emit(item)


def _watch_items(
    conn: psycopg.Connection[Any], items: Iterable[Item], flush: Callable[[], object]
) -> Iterator[Item]:
    """Yield the events of a source that may never end; meanwhile write and count them."""

    def complete() -> None:
        flush()
        finish_summaries(conn)

    return Completion(complete).watch_items(items)


@contextmanager
def _finished_summaries(conn: psycopg.Connection[Any]) -> Iterator[None]:
    """Complete the summaries when the block ends, also if an error or an interrupt ends it."""
    try:
        yield
    except BaseException:
        with suppress(DatabaseError):  # the error of the block is raised
            finish_summaries(conn)
        raise
    finish_summaries(conn)


def _write_items(
    conn: psycopg.Connection[Any],
    items: Iterable[Item],
    listener: Listener,
    reading: Reading,
    *,
    endless: bool,
) -> None:
    reported = Written()
    with EventWriter(conn, deferred=True) as emitter:
        watched = _watch_items(conn, items, emitter.flush) if endless else items
        for number, item in enumerate(watched, start=1):
            try:
                if parts := emitter.emit(item.text):
                    listener.report_omitted(item.place, parts)
            except InvalidEvent as error:
                listener.bad_line(InvalidEvent(f"{item.place}: {error.message}", error.hint))
            if number % REPORT_EVERY == 0:
                listener.on_read(reading.bytes_read, reading.total)
                reported = _report_progress(listener, reported, emitter.written)
        _report_progress(listener, reported, emitter.flush())


def _report_done(listener: Listener, reading: Reading, done: Done) -> None:
    listener.on_read(reading.bytes_read, reading.total)
    listener.on_written(done.written)
    for error in done.bad:
        listener.bad_line(error)
    for place, parts in done.omitted:
        listener.report_omitted(place, parts)


def _report_progress(listener: Listener, reported: Written, now: Written) -> Written:
    if now != reported:
        listener.on_written(Written(now.count - reported.count, now.new - reported.new))
    return now
