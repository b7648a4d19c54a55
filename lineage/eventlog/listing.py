"""What the event log holds, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    import psycopg


@dataclass(frozen=True, slots=True)
class Logged:
    """An event as it came; ``graph`` is drawn, waiting, refused or replaced."""

    received_at: str
    event_time: str
    event_type: str | None
    run_id: str | None
    job_namespace: str | None
    job: str | None
    graph: str
    reason: str | None
    body: str


_SQL = StatementFile(__file__)
# Planned each time: conditions without a value take no part in the plan.
_SELECT_EVENTS = _SQL.statement("select_events", Logged, prepare=False)
_SELECT_REJECTED = _SQL.statement("select_rejected", Logged, prepare=False)


def list_events(
    conn: psycopg.Connection[Any],
    limit: int,
    *,
    run: str | None = None,
    since: str | None = None,
    rejected: bool = False,
) -> list[Logged]:
    """Return the newest events, at most ``limit``: of a run, since a time, or those set aside.

    Raises QueryError where ``since`` is no time.
    """
    select = _SELECT_REJECTED if rejected else _SELECT_EVENTS
    with translate_errors():
        return select.fetch(conn, run=run, since=since, limit=limit)
