"""How far the graph is behind: what waits, what was set aside, since when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.forwarding import lag

if TYPE_CHECKING:
    import psycopg


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """What waits, since when the oldest of it does, and what was set aside."""

    pending: int
    oldest_seconds: float | None
    rejected: int


@dataclass(frozen=True, slots=True)
class Status:
    """Events that are to be drawn, plan documents that are to be converted, and forwarding."""

    events: QueueStatus
    documents: QueueStatus
    forwarding: list[lag.TargetLag]


_SQL = StatementFile(__file__)
_SELECT_EVENTS = _SQL.statement("select_event_queue", QueueStatus)
_SELECT_DOCUMENTS = _SQL.statement("select_document_queue", QueueStatus)


def read_status(conn: psycopg.Connection[Any]) -> Status:
    """Return how far the graph, and who gets its events forwarded, are behind the log."""
    with translate_errors():
        [events] = _SELECT_EVENTS.fetch(conn)
        [documents] = _SELECT_DOCUMENTS.fetch(conn)
    return Status(events, documents, lag.all_of(conn))
