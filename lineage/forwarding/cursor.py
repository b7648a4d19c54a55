"""The position of a target in the event log.

Ids of events are assigned before their transactions commit, so an id below the newest may appear
later. A cursor therefore advances only to an id below which no new id can appear: the newest id
assigned at a time, once all transactions that were writing to the log at that time have ended.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.errors import NotFound

if TYPE_CHECKING:
    import psycopg

LOG = logging.getLogger(__name__)

# Read before the writers: a transaction that has an id by then also holds its lock.
_NEWEST = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM lineage.event_id_seq"

# The first key of the advisory lock of a target is an arbitrary constant.
_ALONE = "SELECT pg_try_advisory_lock(3679273, hashtext(%s))"
_RELEASE = "SELECT pg_advisory_unlock(3679273, hashtext(%s))"

_ADD = """
INSERT INTO lineage.forward (target, position) VALUES (%s, %s) ON CONFLICT DO NOTHING
"""
_POSITION = "SELECT position FROM lineage.forward WHERE target = %s"

_NEXT = """
SELECT id, body FROM lineage.event e WHERE id > %s AND id <= %s
  AND NOT EXISTS (SELECT FROM lineage.superseded_event r WHERE r.event = e.id)
ORDER BY id LIMIT %s
"""

_FAIL = """
UPDATE lineage.forward SET failing_since = coalesce(failing_since, now()), error = %s
WHERE target = %s
"""
_REFUSE = """
INSERT INTO lineage.rejected_forward (target, event, reason) VALUES (%s, %s, %s)
ON CONFLICT (target, event) DO UPDATE SET reason = excluded.reason, rejected_at = now()
"""


class MissingRow(NamedTuple):
    """The time from which the log has all events, and the number of events that left it."""

    complete_from: str
    events: int


class RetryRow(NamedTuple):
    """Numbers of rejected events: those to be sent again, and those that have left the log."""

    retried: int
    dropped: int


_SQL = StatementFile(__file__)
_SELECT_WRITERS = _SQL.statement("select_writers", str)
_SELECT_MISSING = _SQL.statement("select_missing", MissingRow)
_MOVE_CURSOR = _SQL.statement("move_cursor")
_RETRY_REJECTED = _SQL.statement("retry_rejected", RetryRow)


class PendingEvent(NamedTuple):
    """An event to be sent, as it was received."""

    id: int
    body: str


@dataclass
class SettledId:
    """The largest id up to which the log is known to be complete."""

    id: int = 0
    _newest: int = 0
    _writers: frozenset[str] = frozenset()

    def read_settled_id(self, conn: psycopg.Connection[Any]) -> int:
        """Update and return the id, without waiting for locks."""
        if not self._writers:
            [(self._newest,)] = conn.execute(_NEWEST).fetchall()
            self._writers = _select_writers(conn)
        else:
            self._writers &= _select_writers(conn)
        if not self._writers:
            self.id = self._newest
        return self.id


def _select_writers(conn: psycopg.Connection[Any]) -> frozenset[str]:
    return frozenset(_SELECT_WRITERS.fetch(conn))


class Cursor:
    """The cursor of a target, over one connection in autocommit mode."""

    def __init__(self, conn: psycopg.Connection[Any], target: str) -> None:
        self._conn = conn
        self._target = target
        self._settled = SettledId()

    def claim_target(self) -> bool:
        """Lock the target until it is released or the connection ends.

        Return False if another process has it.
        """
        with translate_errors():
            [(is_alone,)] = self._conn.execute(_ALONE, (self._target,)).fetchall()
        return bool(is_alone)

    def release_target(self) -> None:
        """Unlock the target: the server notices the end of a connection only after a while."""
        with translate_errors():
            self._conn.execute(_RELEASE, (self._target,))

    def register_target(self, *, from_beginning: bool) -> None:
        """Add a new target, at the beginning of the log or at its end.

        Log a warning if the target is new and the log lacks events of the graph.
        """
        start = 0 if from_beginning else self.newest_id()
        with translate_errors():
            is_new = self._conn.execute(_ADD, (self._target, start)).rowcount
            missing = _SELECT_MISSING.fetch_one(self._conn)
        if is_new and from_beginning and missing:
            LOG.warning(
                "%s receives only the events of the log, which has all of them from %s on: up to"
                " %s events were dropped, or are in the files of a lake.",
                self._target,
                missing.complete_from,
                f"{missing.events:,}",
            )

    def next_events(self, limit: int) -> list[PendingEvent]:
        """Return at most ``limit`` next events. Raises NotFound if the target was removed."""
        with translate_errors():
            until = self._settled.read_settled_id(self._conn)
            row = self._conn.execute(_POSITION, (self._target,)).fetchone()
            if row is None:
                raise unknown_target(self._target)
            (position,) = row
            rows = self._conn.execute(_NEXT, (position, until, limit)).fetchall()
            if not rows and position < until:
                self.advance(until, 0)
        return [PendingEvent(*each) for each in rows]

    def newest_id(self) -> int:
        """Return the newest id that was assigned."""
        with translate_errors():
            [(id,)] = self._conn.execute(_NEWEST).fetchall()
        return int(id)

    @property
    def reached_id(self) -> int:
        """The id up to which the last call of ``next_events`` searched."""
        return self._settled.id

    def advance(self, position: int, sent: int) -> None:
        """Move the cursor to ``position``, and add ``sent`` to the acknowledged events."""
        with translate_errors():
            _MOVE_CURSOR.execute(self._conn, position=position, sent=sent, target=self._target)

    def record_failure(self, reason: str) -> None:
        """Record that the target fails, with the reason."""
        with translate_errors():
            self._conn.execute(_FAIL, (reason, self._target))

    def record_rejection(self, event: int, reason: str) -> None:
        """Record that the target rejected this event."""
        with translate_errors():
            self._conn.execute(_REFUSE, (self._target, event, reason))


def remove_target(conn: psycopg.Connection[Any], target: str) -> None:
    """Delete the position of a target. Raises NotFound."""
    with translate_errors():
        done = conn.execute("DELETE FROM lineage.forward WHERE target = %s", (target,))
    if not done.rowcount:
        raise unknown_target(target)


def retry_rejected(conn: psycopg.Connection[Any], target: str) -> RetryRow:
    """Move the cursor back to the first rejected event; return the numbers of rejected events.

    Those that have left the log remain recorded as rejected. Raises NotFound.
    """
    with translate_errors():
        row = _RETRY_REJECTED.fetch_one(conn, target=target)
    if row is None:
        raise unknown_target(target)
    return row


def unknown_target(target: str) -> NotFound:
    """Return the error for a target to which no events are forwarded."""
    return NotFound(
        f'There is no target with the name "{target}".', "List targets: lineage forward list"
    )
