"""The projection queue: logged events that are pending, projected in one transaction per batch.

Several processes may work on the queue: each claims events that no other process has claimed.
"""

from __future__ import annotations

import logging
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg import DataError, Error
from psycopg.errors import ProgramLimitExceeded, StatementTooComplex

from lineage.database.binary_arrays import adapt_arrays, bigint_array
from lineage.database.errors import translate_error, translate_errors
from lineage.database.statements import StatementFile
from lineage.errors import InvalidEvent, LineageError
from lineage.events.entry import Entry
from lineage.events.merge import BATCH_BYTES, BATCH_SIZE, Batch
from lineage.openlineage import Event, RunEvent, parse_event
from lineage.openlineage.events import count_names, datasets_of
from lineage.projection.project import project_batch
from lineage.projection.transaction import retry_exclusively
from lineage.sized_groups import group_by_size

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

LOG = logging.getLogger(__name__)

_SELECT_PENDING_IDS = (
    "SELECT event FROM lineage.projection_queue ORDER BY event LIMIT %s FOR UPDATE SKIP LOCKED"
)

_DEQUEUE = "DELETE FROM lineage.projection_queue WHERE event = ANY (%s::bigint[])"

_REJECT = """
WITH taken AS (DELETE FROM lineage.projection_queue WHERE event = %s RETURNING event)
INSERT INTO lineage.rejected_event (event, reason) SELECT event, %s
    FROM taken ON CONFLICT DO NOTHING
"""

_COUNT = "SELECT count(*) FROM lineage.projection_queue"


class PendingSizeRow(NamedTuple):
    """A pending event, and the size of its body in bytes."""

    id: int
    size: int


class PendingRow(NamedTuple):
    """A pending event."""

    id: int
    sha256: bytes
    body: bytes


_SQL = StatementFile(__file__)
_SELECT_SIZES = _SQL.tuples("select_sizes", PendingSizeRow, binary=True)
_SELECT_PENDING = _SQL.tuples("select_pending", PendingRow, binary=True)

# Errors of a single event, which a retry would repeat.
_OF_THE_EVENT = (InvalidEvent, DataError, ProgramLimitExceeded, StatementTooComplex)
# Errors of the database or of the process, which a later attempt may not have.
_OF_THE_PROCESS = (LineageError, MemoryError, OSError)


# Size of a page of bodies. Its last body may exceed it.
_PAGE_BYTES = 16 << 20
# Maximum number of dataset names in a batch: each takes some 2 KB of memory.
_MAX_NAMES = 50_000


class _Content:
    """The content of the events of a batch that remains after their bodies are freed.

    Equal jobs and datasets are interned: an event whose job and datasets the batch has already
    keeps only its run facets.
    """

    def __init__(self) -> None:
        self._met: set[int] = set()  # ids of interned objects, which the entries reference
        self._names = 0
        self._bytes = 0

    def add_event(self, event: Event, size: int) -> None:
        """Add an event, whose body has ``size`` bytes."""
        new = [each for each in datasets_of(event) if id(each) not in self._met]
        self._names += count_names(new)
        if isinstance(event, RunEvent) and not new and id(event.job) in self._met:
            self._bytes += sum(memoryview(facet).nbytes for facet in event.run_facets.values())
            return
        self._bytes += size
        self._met.update(map(id, new))
        if isinstance(event, RunEvent):
            self._met.add(id(event.job))

    def has_reached_size(self) -> bool:
        """Return whether the batch must end."""
        return self._names > _MAX_NAMES or self._bytes > BATCH_BYTES


def project_pending(conn: psycopg.Connection[Any], limit: int = BATCH_SIZE) -> int:
    """Project the ``limit`` oldest pending events; return the number removed from the queue.

    An event that cannot be projected is stored in ``lineage.rejected_event`` with the reason: its
    batch is halved until it is the only event. This includes events for which this package has an
    error, because the same event would stop the queue again. Raises DatabaseError; then nothing is
    changed.
    """
    adapt_arrays(conn)
    while True:
        claimed: list[int] = []
        try:
            return retry_exclusively(partial(_project_batch, conn, limit, claimed))
        except _OF_THE_EVENT as error:
            failure: Exception = error
        except Error as error:
            raise translate_error(error) from error
        except _OF_THE_PROCESS:
            raise
        except Exception as error:  # noqa: BLE001 - the events behind it must not wait
            failure = error
        if not claimed:
            raise failure
        if len(claimed) == 1:
            return _reject_event(conn, claimed[0], failure)
        limit = len(claimed) // 2


def _project_batch(
    conn: psycopg.Connection[Any], limit: int, claimed: list[int], *, exclusive: bool
) -> int:
    with conn.transaction():
        entries = _claim_pending(conn, limit, claimed)
        if entries:
            project_batch(conn, Batch.merge_entries(entries), exclusive=exclusive)
    return len(entries)


def _claim_pending(conn: psycopg.Connection[Any], limit: int, claimed: list[int]) -> list[Entry]:
    """Claim the oldest pending events; store the id of each in ``claimed`` before it is parsed.

    Bodies are read in pages and freed: the entries have none, because the log has them already.
    """
    pending = [id for (id,) in conn.execute(_SELECT_PENDING_IDS, (limit,), binary=True).fetchall()]
    if not pending:
        return []
    claimed.clear()
    entries: list[Entry] = []
    content = _Content()
    sizes = _SELECT_SIZES.fetch(conn, events=bigint_array(pending))
    pages: Iterator[list[int]] = group_by_size(sizes, _PAGE_BYTES)
    rows = (_SELECT_PENDING.fetch(conn, events=bigint_array(page)) for page in pages)
    for id, sha256, body in chain.from_iterable(rows):
        claimed.append(id)
        entries.append(Entry(sha256, b"", parse_event(body)))
        content.add_event(entries[-1].event, len(body))
        if content.has_reached_size():
            break
    conn.execute(_DEQUEUE, (bigint_array(claimed),))
    return entries


def _reject_event(conn: psycopg.Connection[Any], event: int, error: Exception) -> int:
    if isinstance(error, Error):
        reason = str(translate_error(error))
    elif isinstance(error, LineageError):
        reason = str(error)
    else:
        reason = f"An internal error prevents its projection. {type(error).__name__}: {error}"
        LOG.error("Event %d is rejected: %s", event, error, exc_info=error)
    with translate_errors():
        conn.execute(_REJECT, (event, reason))
    return 1


def count_pending(conn: psycopg.Connection[Any]) -> int:
    """Count the pending events."""
    with translate_errors():
        [(count,)] = conn.execute(_COUNT).fetchall()
    return int(count)
