"""The event log: every event as it came, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.errors import UniqueViolation

from lineage.database import binary_copy
from lineage.database.binary_arrays import adapt_arrays, blobs, encoded, moments, texts, transposed
from lineage.database.errors import errors
from lineage.eventlog.copy import copy_events
from lineage.openlineage import RunEvent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import psycopg

    from lineage.events.entry import Entry

_APPEND = """
INSERT INTO lineage.event (sha256, event_time, run_id, body, document)
SELECT sha256, event_time, run_id, body, nullif(document, '')
FROM unnest(%s::bytea[], %s::text[]::timestamptz[], %s::text[], %s::text[], %s::bytea[])
     AS stated (sha256, event_time, run_id, body, document)
ON CONFLICT DO NOTHING
"""
_QUEUE = f"""
WITH new AS ({_APPEND} RETURNING id, event_time, sha256), queued AS (
    INSERT INTO lineage.pending (event, event_time) SELECT id, event_time FROM new
)
SELECT sha256 FROM new
"""  # noqa: S608 - of the statement above
_WRITE = f"{_APPEND} RETURNING sha256"
_APPEND_TYPES = (blobs, texts, texts, encoded, blobs)
_WRITTEN_FROM = """
SELECT EXISTS (SELECT FROM lineage.event WHERE event_time BETWEEN %s AND %s)
"""
_KNOWN = """
SELECT e.sha256
FROM unnest(%s::timestamptz[], %s::bytea[]) AS stated (event_time, sha256)
CROSS JOIN LATERAL (
    SELECT e.sha256 FROM lineage.event e
    WHERE e.event_time = stated.event_time AND e.sha256 = stated.sha256 OFFSET 0) AS e
"""
# Memory for more at once is taken from the system anew each time, which takes longer than writing.
_CHUNK = 2 << 20

_COUNT = """
SELECT (SELECT count(*) FROM lineage.event)
     - (SELECT count(*) FROM (SELECT event FROM lineage.refused
                              UNION SELECT event FROM lineage.replaced) AS not_drawn)
"""

# The first is taken whatever its size. How long a body is can be told without unpacking it.
_PAGE = """
WITH sized AS MATERIALIZED (
    SELECT id, event_time,
           sum(size) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - size AS before
    FROM (SELECT e.id, e.event_time, octet_length(e.body) AS size FROM lineage.event e
          WHERE e.id > %s AND NOT EXISTS (SELECT FROM lineage.refused r WHERE r.event = e.id)
            AND NOT EXISTS (SELECT FROM lineage.replaced r WHERE r.event = e.id)
          ORDER BY e.id LIMIT %s) AS next
)
SELECT s.id, e.sha256, convert_to(e.body, 'UTF8')
FROM sized s CROSS JOIN LATERAL (
    SELECT e.sha256, e.body FROM lineage.event e
    WHERE e.id = s.id AND e.event_time = s.event_time OFFSET 0) AS e
WHERE s.before < %s ORDER BY s.id
"""


def count_to_draw(conn: psycopg.Connection[Any]) -> int:
    """Return how many events a rebuild draws; it takes time, of which little of the rebuild."""
    with errors():
        return int(conn.execute(_COUNT).fetchall()[0][0])


def append(conn: psycopg.Connection[Any], entries: Iterable[Entry]) -> list[Entry]:
    """Write ``entries`` to the log and return those that were not in it before.

    Those the caller draws, in the same transaction.
    """
    adapt_arrays(conn)
    batch = _ordered(entries)
    if len(batch) < binary_copy.MANY:
        return _insert(conn, batch)
    new = _without_known(conn, batch)
    if not new:
        return []
    try:
        with conn.transaction():
            copy_events(conn, map(_row, new))
    except UniqueViolation:  # another writer was quicker
        return _insert(conn, new)
    return new


def queue(conn: psycopg.Connection[Any], entries: Iterable[Entry]) -> list[Entry]:
    """Write ``entries`` to the log, for the projection to draw; return those that are new to it.

    Where ``is_one_statement`` no transaction is needed around it.
    """
    adapt_arrays(conn)
    new: list[Entry] = []
    for chunk in _chunks(_ordered(entries)):
        values = transposed(_APPEND_TYPES, [_row(entry) for entry in chunk])
        new += _of(chunk, conn.execute(_QUEUE, values, binary=True).fetchall())
    return new


def _ordered(entries: Iterable[Entry]) -> list[Entry]:
    """Return each once, by key: two writers of the same never wait for each other in a ring."""
    return sorted({entry.sha256: entry for entry in entries}.values(), key=_key)


def _insert(conn: psycopg.Connection[Any], batch: list[Entry]) -> list[Entry]:
    rows: list[tuple[bytes]] = []
    for chunk in _chunks(batch):
        values = transposed(_APPEND_TYPES, [_row(entry) for entry in chunk])
        rows += conn.execute(_WRITE, values).fetchall()
    return _of(batch, rows)


def _without_known(conn: psycopg.Connection[Any], batch: list[Entry]) -> list[Entry]:
    """Return those of a batch, which is sorted, that are not in the log."""
    # Planned each time: a plan from when the log was small would read all of it.
    period = batch[0].event.time, batch[-1].event.time
    if not conn.execute(_WRITTEN_FROM, period, prepare=False).fetchall()[0][0]:
        return batch
    keys = moments([e.event.time for e in batch]), blobs([e.sha256 for e in batch])
    known = {sha256 for (sha256,) in conn.execute(_KNOWN, keys, prepare=False)}
    return [entry for entry in batch if entry.sha256 not in known] if known else batch


def _of(batch: list[Entry], rows: list[tuple[bytes]]) -> list[Entry]:
    """Return the entries of a batch that have the keys in ``rows``."""
    if len(rows) == len(batch):
        return batch
    new = {sha256 for (sha256,) in rows}
    return [entry for entry in batch if entry.sha256 in new]


def is_one_statement(entries: Iterable[Entry]) -> bool:
    """Are ``entries`` few enough to be written by one statement?"""
    return sum(len(entry.body) for entry in entries) < _CHUNK


def _chunks(batch: list[Entry]) -> Iterator[list[Entry]]:
    chunk: list[Entry] = []
    size = 0
    for entry in batch:
        chunk.append(entry)
        size += len(entry.body)
        if size >= _CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _key(entry: Entry) -> tuple[str, bytes]:
    return entry.event.time, entry.sha256


def _row(entry: Entry) -> tuple[bytes, str, str | None, bytes, bytes]:
    event = entry.event
    run_id = event.run_id if isinstance(event, RunEvent) else None
    return entry.sha256, event.time, run_id, entry.body, entry.document


def pages(
    conn: psycopg.Connection[Any], count: int, size: int
) -> Iterator[list[tuple[bytes, bytes]]]:
    """Yield key and body of all events of the log, ``count`` or ``size`` bytes at a time."""
    last = 0
    while rows := conn.execute(_PAGE, (last, count, size), binary=True).fetchall():
        last = rows[-1][0]
        yield [row[1:] for row in rows]


def make_partitions(conn: psycopg.Connection[Any]) -> int:
    """Make the log's next partitions where there are none; return how many were made."""
    with errors():
        return int(conn.execute("SELECT lineage.make_partitions()").fetchall()[0][0])
