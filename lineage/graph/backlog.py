"""Events that are in the log and wait to be drawn: batch after batch, each one transaction.

Several processes may work on one backlog: each takes events that no other has taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg import DataError, Error
from psycopg.errors import ProgramLimitExceeded, StatementTooComplex

from lineage.database.errors import errors, translate
from lineage.errors import InvalidEvent
from lineage.graph import log
from lineage.graph.arrays import numbers, texts, transposed
from lineage.graph.batch import BATCH_BYTES, BATCH_SIZE, Batch
from lineage.graph.projection import MustBeAlone, project
from lineage.graph.recent import Recent

if TYPE_CHECKING:
    import psycopg

# The first is taken whatever its size. How long a body is can be told without unpacking it.
_TAKE = """
WITH waiting AS MATERIALIZED (
    SELECT event, event_time FROM lineage.pending ORDER BY event LIMIT %s FOR UPDATE SKIP LOCKED
), sized AS MATERIALIZED (
    SELECT e.id, e.event_time, e.sha256,
           sum(e.size) OVER (ORDER BY e.id ROWS UNBOUNDED PRECEDING) - e.size AS before
    FROM waiting w CROSS JOIN LATERAL (
        SELECT e.id, e.event_time, e.sha256, octet_length(e.body) AS size FROM lineage.event e
        WHERE e.id = w.event AND e.event_time = w.event_time OFFSET 0) AS e
), taken AS (
    DELETE FROM lineage.pending
    WHERE event = ANY (ARRAY(SELECT id FROM sized WHERE before < %s))
)
SELECT id, lineage.iso(event_time), sha256 FROM sized WHERE before < %s
"""

_BODIES = """
SELECT e.sha256, convert_to(e.body, 'UTF8')
FROM unnest(%s::bigint[], %s::text[]::timestamptz[]) AS wanted (id, event_time)
CROSS JOIN LATERAL (SELECT e.sha256, e.body FROM lineage.event e
    WHERE e.id = wanted.id AND e.event_time = wanted.event_time OFFSET 0) AS e
"""

_REFUSE = """
WITH taken AS (DELETE FROM lineage.pending WHERE event = %s RETURNING event)
INSERT INTO lineage.refused (event, reason) SELECT event, %s FROM taken ON CONFLICT DO NOTHING
"""

_COUNT = "SELECT count(*) FROM lineage.pending"

# What is wrong with one event, and would be so again. All else is wrong with the database.
_OF_THE_EVENT = (InvalidEvent, DataError, ProgramLimitExceeded, StatementTooComplex)


def draw(
    conn: psycopg.Connection[Any], limit: int = BATCH_SIZE, recent: Recent | None = None
) -> int:
    """Draw the oldest of the backlog, ``limit`` events at most; return how many fewer wait.

    Those that are among the ``recent`` are taken from there, the others are read from the log.
    An event that cannot be drawn is set aside in ``lineage.refused`` with its reason: the batch
    that has it is cut in halves until it stands alone. Raises DatabaseError; then nothing is done.
    """
    while True:
        taken: list[int] = []
        try:
            return _draw(conn, limit, taken, recent or Recent())
        except _OF_THE_EVENT as error:
            if len(taken) == 1:
                return _refuse(conn, taken[0], error)
            limit = len(taken) // 2
        except Error as error:
            raise translate(error) from error


def _draw(conn: psycopg.Connection[Any], limit: int, taken: list[int], recent: Recent) -> int:
    try:
        return _batch(conn, limit, taken, recent, alone=False)
    except MustBeAlone:
        return _batch(conn, limit, taken, recent, alone=True)


def _batch(
    conn: psycopg.Connection[Any], limit: int, taken: list[int], recent: Recent, *, alone: bool
) -> int:
    with conn.transaction():
        rows = conn.execute(_TAKE, (limit, BATCH_BYTES, BATCH_BYTES)).fetchall()
        taken[:] = [id for id, _, _ in rows]
        if rows:
            project(conn, Batch.of(_entries(conn, rows, recent)), alone=alone)
    return len(rows)


def _entries(
    conn: psycopg.Connection[Any], rows: list[tuple[int, str, bytes]], recent: Recent
) -> list[log.Entry]:
    """Return the entries of rows of the log: id, time and key."""
    found = [recent.take(sha256) for _, _, sha256 in rows]
    missing = [row[:2] for row, entry in zip(rows, found, strict=True) if not entry]
    entries = [entry for entry in found if entry]
    if missing:
        bodies = conn.execute(_BODIES, transposed((numbers, texts), missing), binary=True)
        entries += [log.stored(sha256, body) for sha256, body in bodies]
    return entries


def _refuse(conn: psycopg.Connection[Any], event: int, error: Exception) -> int:
    said = translate(error) if isinstance(error, Error) else error
    with errors():
        conn.execute(_REFUSE, (event, str(said)))
    return 1


def waiting(conn: psycopg.Connection[Any]) -> int:
    """Return how many events wait."""
    with errors():
        return int(conn.execute(_COUNT).fetchall()[0][0])
