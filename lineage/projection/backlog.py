"""The projection queue: logged events that are pending, projected in one transaction per batch.

Several processes may work on the queue: each claims events that no other process has claimed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg import DataError, Error
from psycopg.errors import ProgramLimitExceeded, StatementTooComplex

from lineage.database.binary_arrays import adapt_arrays, bigint_array
from lineage.database.errors import translate_error, translate_errors
from lineage.database.statements import StatementFile
from lineage.errors import InvalidEvent
from lineage.events.entry import Entry, stored_entry
from lineage.events.merge import BATCH_BYTES, BATCH_SIZE, Batch
from lineage.openlineage.events import count_names, datasets_of
from lineage.projection.locks import retry_exclusively
from lineage.projection.project import project_batch

if TYPE_CHECKING:
    import psycopg

_WAITING = (
    "SELECT event FROM lineage.projection_queue ORDER BY event LIMIT %s FOR UPDATE SKIP LOCKED"
)

_TAKE = "DELETE FROM lineage.projection_queue WHERE event = ANY (%s::bigint[])"

_REFUSE = """
WITH taken AS (DELETE FROM lineage.projection_queue WHERE event = %s RETURNING event)
INSERT INTO lineage.rejected_event (event, reason) SELECT event, %s
    FROM taken ON CONFLICT DO NOTHING
"""

_COUNT = "SELECT count(*) FROM lineage.projection_queue"


class PendingRow(NamedTuple):
    """A pending event."""

    id: int
    sha256: bytes
    body: bytes


_SQL = StatementFile(__file__)
_SELECT_PENDING = _SQL.tuples("select_pending", PendingRow, binary=True)

# Errors of a single event, which a retry would repeat. All others are errors of the database.
_OF_THE_EVENT = (InvalidEvent, DataError, ProgramLimitExceeded, StatementTooComplex)


# Maximum number of dataset names in a batch: each takes some 2 KB of memory.
_MOST_NAMES = 50_000


def project_pending(conn: psycopg.Connection[Any], limit: int = BATCH_SIZE) -> int:
    """Project the ``limit`` oldest pending events; return the number removed from the queue.

    An event that cannot be projected is stored in ``lineage.rejected_event`` with the reason: its
    batch is halved until it is the only event. Raises DatabaseError; then nothing is changed.
    """
    adapt_arrays(conn)
    while True:
        claimed: list[int] = []
        try:
            return retry_exclusively(partial(_project_batch, conn, limit, claimed))
        except _OF_THE_EVENT as error:
            if len(claimed) == 1:
                return _reject_event(conn, claimed[0], error)
            limit = len(claimed) // 2
        except Error as error:
            raise translate_error(error) from error


def _project_batch(
    conn: psycopg.Connection[Any], limit: int, claimed: list[int], *, exclusive: bool
) -> int:
    with conn.transaction():
        entries = _claim_pending(conn, limit, claimed)
        if entries:
            project_batch(conn, Batch.merge_entries(entries), exclusive=exclusive)
    return len(entries)


def _claim_pending(conn: psycopg.Connection[Any], limit: int, claimed: list[int]) -> list[Entry]:
    """Claim the oldest pending events; store their ids in ``claimed`` before parsing any."""
    waiting = [id for (id,) in conn.execute(_WAITING, (limit,), binary=True).fetchall()]
    if not waiting:
        return []
    rows = _SELECT_PENDING.fetch(conn, events=bigint_array(waiting), bytes=BATCH_BYTES)
    claimed[:] = [id for id, _, _ in rows]
    entries: list[Entry] = []
    met: set[int] = set()  # ids of objects: equal datasets are interned and share their memory
    names = 0
    for _, sha256, body in rows:
        entries.append(stored_entry(sha256, body))
        new = [each for each in datasets_of(entries[-1].event) if id(each) not in met]
        met.update(map(id, new))
        names += count_names(new)
        if names > _MOST_NAMES:
            break
    del claimed[len(entries) :]
    conn.execute(_TAKE, (bigint_array(claimed),))
    return entries


def _reject_event(conn: psycopg.Connection[Any], event: int, error: Exception) -> int:
    translated = translate_error(error) if isinstance(error, Error) else error
    with translate_errors():
        conn.execute(_REFUSE, (event, str(translated)))
    return 1


def count_pending(conn: psycopg.Connection[Any]) -> int:
    """Count the pending events."""
    with translate_errors():
        [(count,)] = conn.execute(_COUNT).fetchall()
    return int(count)
