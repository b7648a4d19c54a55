"""How far the graph is behind: what waits, what was set aside, since when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.database.errors import errors
from lineage.forwarding import progress

if TYPE_CHECKING:
    import psycopg

# The oldest is that which came first: of events by id, of documents by their time.
_EVENTS = """
SELECT (SELECT count(*) FROM lineage.pending),
       (SELECT extract(epoch FROM clock_timestamp() - e.received_at)::float8
        FROM (SELECT event, event_time FROM lineage.pending ORDER BY event LIMIT 1) AS p
        JOIN lineage.event e ON e.id = p.event AND e.event_time = p.event_time),
       (SELECT count(*) FROM lineage.refused)
"""
_DOCUMENTS = """
SELECT (SELECT count(*) FROM lineage.unconverted WHERE reason IS NULL),
       (SELECT extract(epoch FROM clock_timestamp() - d.received_at)::float8
        FROM (SELECT sha256, time FROM lineage.unconverted
              WHERE reason IS NULL ORDER BY time LIMIT 1) AS u
        JOIN lineage.document d ON d.sha256 = u.sha256 AND d.time = u.time),
       (SELECT count(*) FROM lineage.unconverted WHERE reason IS NOT NULL)
"""


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits, since when the oldest of it does, and what was set aside."""

    waiting: int
    oldest_seconds: float | None
    failed: int


@dataclass(frozen=True, slots=True)
class Status:
    """Events that are to be drawn, plan documents that are to be converted, and forwarding."""

    events: Queue
    documents: Queue
    forwarding: list[progress.Progress]


def status(conn: psycopg.Connection[Any]) -> Status:
    """Return how far the graph, and who gets its events forwarded, are behind the log."""
    with errors():
        [events] = conn.execute(_EVENTS).fetchall()
        [documents] = conn.execute(_DOCUMENTS).fetchall()
    return Status(Queue(*events), Queue(*documents), progress.all_of(conn))
