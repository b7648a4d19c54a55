"""Projection of the log in threads beside the requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from lineage.eventlog import log
from lineage.http.collector.queue_worker import QueueWorker
from lineage.plan_documents import queue
from lineage.projection import backlog
from lineage.projection.deferred import finish_summaries

if TYPE_CHECKING:
    import psycopg

# For a queue that another worker empties, and for work that is not urgent.
_SELDOM_SECONDS = 3600.0
# Larger batches reduce the time per event only a little.
_LARGE_BATCH = 5_000


class ProjectorControl(Protocol):
    """Controls a projector in this process or in another one."""

    def notify_events(self) -> None:
        """Report that events were written to the log."""

    def notify_documents(self) -> None:
        """Report that plan documents were stored."""

    def close(self) -> None:
        """End after the current batches. The next process continues with the pending ones."""


class Projector:
    """Projects events, converts plan documents and creates the log's partitions until closed.

    When it starts, and every hour, it completes summaries that an interrupted fold left.

    It also polls its queues every second, for events and documents of other processes. While many
    events are pending, two threads project: one merges events while the other waits for the
    database. With few events, one thread projects, because smaller batches take longer per event.
    """

    def __init__(self, dsn: str | None) -> None:
        self._helping_worker = QueueWorker(
            dsn, "second projection", _project_large_batch, poll_seconds=_SELDOM_SECONDS
        )
        self._projection_worker = QueueWorker(
            dsn, "projection", self._project_batch, enough=_LARGE_BATCH
        )
        self._conversion_worker = QueueWorker(
            dsn, "conversion", queue.convert_pending, self._projection_worker.wake
        )
        self._maintenance_worker = QueueWorker(
            dsn, "maintenance", _run_maintenance, poll_seconds=_SELDOM_SECONDS
        )

    def _project_batch(self, conn: psycopg.Connection[Any]) -> int:
        count = backlog.project_pending(conn)
        if count >= _LARGE_BATCH:
            self._helping_worker.wake()
        return count

    def notify_events(self) -> None:
        """Report that events were written to the log."""
        self._projection_worker.wake()

    def notify_documents(self) -> None:
        """Report that plan documents were stored."""
        self._conversion_worker.wake()

    def close(self) -> None:
        """End after the current batches. The next process continues with the pending ones."""
        for part in (
            self._conversion_worker,
            self._projection_worker,
            self._helping_worker,
            self._maintenance_worker,
        ):
            part.close()


def _run_maintenance(conn: psycopg.Connection[Any]) -> int:
    finish_summaries(conn)
    return log.make_partitions(conn)


def _project_large_batch(conn: psycopg.Connection[Any]) -> int:
    """Project a batch; return 0, as for an empty queue, if the batch is small."""
    count = backlog.project_pending(conn)
    return count if count >= _LARGE_BATCH else 0
