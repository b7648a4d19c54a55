"""Bringing the graph up to date with what the log gets: beside the requests, in threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from lineage.eventlog import log
from lineage.http.collector.queue_worker import QueueWorker
from lineage.plan_documents import queue
from lineage.projection import backlog

if TYPE_CHECKING:
    import psycopg

# Of a queue that others look after, and of what is not urgent.
_SELDOM_SECONDS = 3600.0
# Larger parts take little less for each event.
_ENOUGH_TO_DRAW = 5_000


class ProjectorControl(Protocol):
    """What brings the graph up to date, wherever it runs."""

    def events_came(self) -> None:
        """Events are in the log."""

    def documents_came(self) -> None:
        """Plan documents are kept."""

    def close(self) -> None:
        """End after the parts at hand. What waits then is for the next process."""


class Projector:
    """Draws events, converts plan documents and makes the log's partitions, until it is closed.

    It also looks now and then itself: what it was not told of waits no longer than a second. While
    much waits two threads draw: one reads events and merges them while the other waits for the
    database. Of less each would get a smaller part, and an event of that takes more.
    """

    def __init__(self, dsn: str | None) -> None:
        self._helping = QueueWorker(dsn, _draw_much, look_seconds=_SELDOM_SECONDS)
        self._projection_worker = QueueWorker(dsn, self._project_part, enough=_ENOUGH_TO_DRAW)
        self._converting = QueueWorker(dsn, queue.convert_pending, self._projection_worker.wake)
        self._upkeep = QueueWorker(dsn, log.make_partitions, look_seconds=_SELDOM_SECONDS)

    def _project_part(self, conn: psycopg.Connection[Any]) -> int:
        count = backlog.project_pending(conn)
        if count >= _ENOUGH_TO_DRAW:
            self._helping.wake()
        return count

    def events_came(self) -> None:
        """Events are in the log."""
        self._projection_worker.wake()

    def documents_came(self) -> None:
        """Plan documents are kept."""
        self._converting.wake()

    def close(self) -> None:
        """End after the parts at hand. What waits then is for the next process."""
        for part in (self._converting, self._projection_worker, self._helping, self._upkeep):
            part.close()


def _draw_much(conn: psycopg.Connection[Any]) -> int:
    """Draw; return 0, as if nothing waited, where it was not much."""
    count = backlog.project_pending(conn)
    return count if count >= _ENOUGH_TO_DRAW else 0
