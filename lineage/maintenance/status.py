"""Status of the queues: pending and rejected events and documents, and forwarding lag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.forwarding import lag
from lineage.query.deferred import count_deferred_jobs

if TYPE_CHECKING:
    import psycopg


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """Numbers of pending and rejected entries. ``oldest_seconds``: age of the oldest pending."""

    pending: int
    oldest_seconds: float | None
    rejected: int


@dataclass(frozen=True, slots=True)
class ArchiveStatus:
    """The time before which runs are archived, and their number.

    ``late_events``: events of archived runs that came later and are not in the graph.
    """

    archived_before: str
    runs: int
    late_events: int


@dataclass(frozen=True, slots=True)
class Status:
    """Queues of events to project and plan documents to convert, and lag of forwarding.

    ``deferred_jobs``: jobs with runs that FEEDS and DERIVES do not count yet, while events are
    written or after that was interrupted. ``archive``: None if no runs are archived.
    """

    events: QueueStatus
    documents: QueueStatus
    forwarding: list[lag.TargetLag]
    deferred_jobs: int
    archive: ArchiveStatus | None


@dataclass(frozen=True, slots=True)
class LogStatus:
    """The time of the newest event, None if there is none, and the number of pending events.

    ``last_event``: the id of the event that was received last, which grows; 0 if there is none.
    ``pending``: at most 10,000, so that a long queue is not counted.
    """

    newest_event: str | None
    last_event: int
    pending: int


_SQL = StatementFile(__file__)
_SELECT_EVENTS = _SQL.statement("select_event_queue", QueueStatus)
_SELECT_DOCUMENTS = _SQL.statement("select_document_queue", QueueStatus)
_SELECT_ARCHIVE = _SQL.statement("select_archive_status", ArchiveStatus)
_SELECT_LOG = _SQL.statement("select_log_status", LogStatus)


def read_log_status(conn: psycopg.Connection[Any]) -> LogStatus:
    """Read the state of the log, at the same cost for a log of any size."""
    with translate_errors():
        [status] = _SELECT_LOG.fetch(conn)
    return status


def read_status(conn: psycopg.Connection[Any]) -> Status:
    """Read the lag of the graph and of all forwarding targets."""
    with translate_errors():
        [events] = _SELECT_EVENTS.fetch(conn)
        [documents] = _SELECT_DOCUMENTS.fetch(conn)
        archive = _SELECT_ARCHIVE.fetch_one(conn)
    return Status(events, documents, lag.list_lags(conn), count_deferred_jobs(conn), archive)
