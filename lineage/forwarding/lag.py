"""Measure the lag of forwarding targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.forwarding.cursor import unknown_target

if TYPE_CHECKING:
    import psycopg

# The count of a longer backlog stops here.
MAX_COUNTED_EVENTS = 10_000


@dataclass(frozen=True, slots=True)
class TargetLag:
    """A target: events sent, events pending, and the error if it fails.

    ``pending`` is at most 10,000; ``oldest_seconds`` is the age of the oldest pending event.
    """

    target: str
    sent: int
    sent_at: str | None
    pending: int
    oldest_seconds: float
    rejected: int
    failing_since: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class RejectedEvent:
    """An event that a target rejected; ``body`` is None if the log was pruned."""

    target: str
    event: int
    reason: str
    rejected_at: str
    body: str | None


_TARGET = "SELECT FROM lineage.forward WHERE target = %s"

_SQL = StatementFile(__file__)
_SELECT_TARGET_LAG = _SQL.statement("select_target_lag", TargetLag)
_SELECT_REJECTED = _SQL.statement("select_rejected", RejectedEvent)


def list_lags(conn: psycopg.Connection[Any]) -> list[TargetLag]:
    """Return all targets that events were ever forwarded to."""
    with translate_errors():
        return _SELECT_TARGET_LAG.fetch(conn, limit=MAX_COUNTED_EVENTS)


def list_rejected(conn: psycopg.Connection[Any], target: str, limit: int) -> list[RejectedEvent]:
    """Return the first events that a target rejected, at most ``limit``. Raises NotFound."""
    with translate_errors():
        rows = _SELECT_REJECTED.fetch(conn, target=target, limit=limit)
        if not rows and not conn.execute(_TARGET, (target,)).fetchall():
            raise unknown_target(target)
    return rows
