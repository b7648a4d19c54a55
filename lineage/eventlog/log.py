"""The event log: every event unchanged and once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg.errors import UniqueViolation

from lineage.database import binary_copy
from lineage.database.binary_arrays import (
    adapt_arrays,
    bytea_array,
    define_columns,
    encoded_text_array,
    execute_rows,
    text_array,
    timestamptz_array,
)
from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.eventlog.copy import copy_events
from lineage.openlineage import RunEvent
from lineage.sized_groups import group_by_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import psycopg

    from lineage.events.entry import Entry

_WRITTEN_FROM = """
SELECT EXISTS (SELECT FROM lineage.event WHERE event_time BETWEEN %s AND %s)
"""
# Bytes per statement: allocating larger blocks from the system takes longer than writing them.
_CHUNK = 2 << 20


class PageRow(NamedTuple):
    """An event of the log."""

    id: int
    sha256: bytes
    body: bytes


_SQL = StatementFile(__file__)
_APPEND = _SQL.statement("append_events", bytes)
_QUEUE = _SQL.statement("queue_events", bytes, binary=True)
# Not prepared: a generic plan made when the log was small would scan all of it.
_SELECT_KNOWN = _SQL.statement("select_known", bytes, prepare=False)
_COUNT_PROJECTED = _SQL.statement("count_projected", int)
_SELECT_PAGE = _SQL.tuples("select_page", PageRow, binary=True)
_EVENT = define_columns(
    digests=bytea_array,
    times=text_array,
    runs=text_array,
    bodies=encoded_text_array,
    documents=bytea_array,
)


def count_projected(conn: psycopg.Connection[Any]) -> int:
    """Count the events that a rebuild projects, in a small part of the time of the rebuild."""
    with translate_errors():
        [count] = _COUNT_PROJECTED.fetch(conn)
    return count


def append_events(conn: psycopg.Connection[Any], entries: Iterable[Entry]) -> list[Entry]:
    """Append ``entries`` to the log; return those that are new to it.

    The caller has to project these in the same transaction.
    """
    adapt_arrays(conn)
    batch = _sort_entries(entries)
    if len(batch) < binary_copy.MANY:
        return _insert_entries(conn, batch)
    new = _without_known(conn, batch)
    if not new:
        return []
    try:
        with conn.transaction():
            copy_events(conn, map(_entry_row, new))
    except UniqueViolation:  # inserted by another transaction
        return _insert_entries(conn, new)
    return new


def queue_events(conn: psycopg.Connection[Any], entries: Iterable[Entry]) -> list[Entry]:
    """Append ``entries`` to log and projection queue; return those that are new to the log.

    If ``is_one_statement(entries)``, no surrounding transaction is needed.
    """
    adapt_arrays(conn)
    new: list[Entry] = []
    for chunk in _split_batch(_sort_entries(entries)):
        new += _select_entries(
            chunk, execute_rows(conn, _QUEUE, _EVENT, [_entry_row(entry) for entry in chunk])
        )
    return new


def _sort_entries(entries: Iterable[Entry]) -> list[Entry]:
    """Return the distinct entries sorted by key, so that concurrent writers cannot deadlock."""
    return sorted({entry.sha256: entry for entry in entries}.values(), key=_entry_key)


def _insert_entries(conn: psycopg.Connection[Any], batch: list[Entry]) -> list[Entry]:
    new: list[bytes] = []
    for chunk in _split_batch(batch):
        new += execute_rows(conn, _APPEND, _EVENT, [_entry_row(entry) for entry in chunk])
    return _select_entries(batch, new)


def _without_known(conn: psycopg.Connection[Any], batch: list[Entry]) -> list[Entry]:
    """Return the entries of a sorted batch that are not in the log."""
    period = batch[0].event.time, batch[-1].event.time
    if not conn.execute(_WRITTEN_FROM, period, prepare=False).fetchall()[0][0]:
        return batch
    times, digests = (
        timestamptz_array([e.event.time for e in batch]),
        bytea_array([e.sha256 for e in batch]),
    )
    known = set(_SELECT_KNOWN.fetch(conn, times=times, digests=digests))
    return [entry for entry in batch if entry.sha256 not in known] if known else batch


def _select_entries(batch: list[Entry], digests: list[bytes]) -> list[Entry]:
    """Return the entries of a batch with these digests."""
    if len(digests) == len(batch):
        return batch
    new = set(digests)
    return [entry for entry in batch if entry.sha256 in new]


def is_one_statement(entries: Iterable[Entry]) -> bool:
    """Return whether ``entries`` are small enough to be written by one statement."""
    return sum(len(entry.body) for entry in entries) < _CHUNK


def _split_batch(batch: list[Entry]) -> Iterator[list[Entry]]:
    """Yield the entries of each statement."""
    return group_by_size(((entry, len(entry.body)) for entry in batch), _CHUNK)


def _entry_key(entry: Entry) -> tuple[str, bytes]:
    return entry.event.time, entry.sha256


def _entry_row(entry: Entry) -> tuple[bytes, str, str | None, bytes, bytes]:
    event = entry.event
    run_id = event.run_id if isinstance(event, RunEvent) else None
    return entry.sha256, event.time, run_id, entry.body, entry.document


def read_pages(
    conn: psycopg.Connection[Any], count: int, size: int
) -> Iterator[list[tuple[bytes, bytes]]]:
    """Yield digest and body of all events, ``count`` events or ``size`` bytes at a time."""
    last = 0
    while rows := _SELECT_PAGE.fetch(conn, after=last, count=count, bytes=size):
        last, *_ = rows[-1]
        yield [(sha256, body) for _, sha256, body in rows]


def make_partitions(conn: psycopg.Connection[Any]) -> int:
    """Create missing partitions of the next months; return the number created."""
    with translate_errors():
        return int(conn.execute("SELECT lineage.create_partitions()").fetchall()[0][0])
