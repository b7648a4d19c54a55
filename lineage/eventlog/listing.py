"""List the events of the log, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    import psycopg


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """A received event. ``state``: "pending", "projected", "rejected" or "superseded"."""

    received_at: str
    event_time: str
    event_type: str | None
    run_id: str | None
    job_namespace: str | None
    job: str | None
    state: str
    reason: str | None
    body: str


_SQL = StatementFile(__file__)
# Not prepared: a custom plan omits conditions whose parameter is null.
_SELECT_EVENTS = _SQL.statement("select_events", LoggedEvent, prepare=False)
_SELECT_REJECTED = _SQL.statement("select_rejected", LoggedEvent, prepare=False)


def list_events(
    conn: psycopg.Connection[Any],
    limit: int,
    *,
    run: str | None = None,
    since: str | None = None,
    rejected: bool = False,
    offset: int = 0,
) -> list[LoggedEvent]:
    """List the newest events: of a run, since a time, or only rejected ones.

    ``limit``: maximum number. Raises QueryError if ``since`` is not a time.
    """
    select = _SELECT_REJECTED if rejected else _SELECT_EVENTS
    with translate_errors():
        return select.fetch(conn, run=run, since=since, limit=limit, offset=offset)
