"""How far a target has got in the event log.

Ids of events are given before their transactions commit, so an id below the newest may appear
later. A cursor goes no further than to where none can appear any more: to the newest id that was
given at a moment, once all transactions have ended that were writing to the log at that moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.errors import NotFound

if TYPE_CHECKING:
    import psycopg

# The newest id before the writers: who has taken an id by then holds his lock by then.
_NEWEST = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM lineage.event_id_seq"

# The first number is "forward" on the keys of a telephone.
_ALONE = "SELECT pg_try_advisory_lock(3679273, hashtext(%s))"

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


_SQL = StatementFile(__file__)
_SELECT_WRITERS = _SQL.statement("select_writers", str)
_MOVE_CURSOR = _SQL.statement("move_cursor")
_RETRY_REJECTED = _SQL.statement("retry_refused", int)


class PendingEvent(NamedTuple):
    """An event that is to be sent, as it came."""

    id: int
    body: str


@dataclass
class SettledId:
    """Up to which id the log is complete, as far as is known."""

    id: int = 0
    _newest: int = 0
    _writers: frozenset[str] = frozenset()

    def read_settled_id(self, conn: psycopg.Connection[Any]) -> int:
        """Look again, waiting for nobody, and return the id."""
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
        """Keep other processes from this target while the connection lasts; False if one has it."""
        with translate_errors():
            [(is_alone,)] = self._conn.execute(_ALONE, (self._target,)).fetchall()
        return bool(is_alone)

    def register_target(self, *, from_beginning: bool) -> None:
        """Put a target that is new at the beginning of the log, or at its end."""
        start = 0 if from_beginning else self.newest_id()
        with translate_errors():
            self._conn.execute(_ADD, (self._target, start))

    def next_events(self, limit: int) -> list[PendingEvent]:
        """Return the next events, ``limit`` at most. Raises NotFound if the target was removed."""
        with translate_errors():
            until = self._settled.read_settled_id(self._conn)
            row = self._conn.execute(_POSITION, (self._target,)).fetchone()
            if row is None:
                raise _unknown_target(self._target)
            (position,) = row
            rows = self._conn.execute(_NEXT, (position, until, limit)).fetchall()
            if not rows and position < until:
                self.advance(until, 0)
        return [PendingEvent(*each) for each in rows]

    def newest_id(self) -> int:
        """Return the newest id that was given."""
        with translate_errors():
            [(id,)] = self._conn.execute(_NEWEST).fetchall()
        return int(id)

    @property
    def reached_id(self) -> int:
        """Up to which id ``next_events`` looks for events, as of its last call."""
        return self._settled.id

    def advance(self, position: int, sent: int) -> None:
        """All up to ``position`` is done, ``sent`` of it acknowledged: the target works."""
        with translate_errors():
            _MOVE_CURSOR.execute(self._conn, position=position, sent=sent, target=self._target)

    def record_failure(self, reason: str) -> None:
        """The target does not work, and why."""
        with translate_errors():
            self._conn.execute(_FAIL, (reason, self._target))

    def record_rejection(self, event: int, reason: str) -> None:
        """The target does not want this event."""
        with translate_errors():
            self._conn.execute(_REFUSE, (self._target, event, reason))


def remove_target(conn: psycopg.Connection[Any], target: str) -> None:
    """Forget how far a target has got. Raises NotFound."""
    with translate_errors():
        done = conn.execute("DELETE FROM lineage.forward WHERE target = %s", (target,))
    if not done.rowcount:
        raise _unknown_target(target)


def retry_rejected(conn: psycopg.Connection[Any], target: str) -> int:
    """Go back to the first event that a target refused; return how many it did. Raises NotFound."""
    with translate_errors():
        count = _RETRY_REJECTED.fetch_one(conn, target=target)
    if count is None:
        raise _unknown_target(target)
    return count


def _unknown_target(target: str) -> NotFound:
    return NotFound(f'There is no target called "{target}".', "See them: lineage forward list")
