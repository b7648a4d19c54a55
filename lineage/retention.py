"""Dropping the old part of log and plan documents, without losing what the graph says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.database.errors import errors
from lineage.graph import backlog
from lineage.plans import queue

if TYPE_CHECKING:
    import psycopg

# So long may somebody be in the way, and so long do others wait behind this.
LOCK_SECONDS = 10.0

_WAIT = "SELECT set_config('lock_timeout', %s, true)"
_PRUNE = "SELECT lineage.iso(kept_from), events, documents FROM lineage.prune(%s::timestamptz)"


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was dropped, and from when on all is kept."""

    kept_from: str
    events: int
    documents: int


def prune(conn: psycopg.Connection[Any], before: str) -> Pruned:
    """Drop events and documents of the months before that of ``before``, once they are drawn.

    Raises QueryError where ``before`` is no time or lies in the future, and DatabaseError, as where
    a rebuild is under way.
    """
    while queue.convert(conn) or backlog.draw(conn):
        pass
    with errors(), conn.transaction():
        conn.execute(_WAIT, (f"{LOCK_SECONDS}s",))
        [row] = conn.execute(_PRUNE, (before,)).fetchall()
    return Pruned(*row)
