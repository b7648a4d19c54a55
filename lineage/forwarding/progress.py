"""How far the targets are behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.database.errors import errors

if TYPE_CHECKING:
    import psycopg

# No count of a long backlog reads more.
MOST_COUNTED = 10_000

_ALL = """
SELECT f.target, f.sent, lineage.iso(f.sent_at), w.count, coalesce(o.seconds, 0),
       (SELECT count(*) FROM lineage.forward_refused r WHERE r.target = f.target),
       lineage.iso(f.failing_since), f.error
FROM lineage.forward f
CROSS JOIN LATERAL (
    SELECT count(*) FROM (
        SELECT FROM lineage.event e WHERE e.id > f.position ORDER BY e.id LIMIT %s) AS e) AS w
LEFT JOIN LATERAL (
    SELECT extract(epoch FROM clock_timestamp() - e.received_at)::float8 AS seconds
    FROM lineage.event e WHERE e.id > f.position ORDER BY e.id LIMIT 1) AS o ON true
ORDER BY f.target
"""

_REFUSED = """
SELECT r.target, r.event, r.reason, lineage.iso(r.refused_at), e.body
FROM lineage.forward_refused r
LEFT JOIN lineage.event e ON e.id = r.event
WHERE r.target = %s ORDER BY r.event LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Progress:
    """A target: what it was sent, what waits for it, and why it does not go on.

    ``waiting`` counts to 10,000; ``oldest_seconds`` is since when the first of them waits.
    """

    target: str
    sent: int
    sent_at: str | None
    waiting: int
    oldest_seconds: float
    refused: int
    failing_since: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Refused:
    """An event that a target does not want; its ``body`` is gone where the log was pruned."""

    target: str
    event: int
    reason: str
    refused_at: str
    body: str | None


def all_of(conn: psycopg.Connection[Any]) -> list[Progress]:
    """Return all targets that events were ever forwarded to."""
    with errors():
        rows = conn.execute(_ALL, (MOST_COUNTED,)).fetchall()
    return [Progress(*row) for row in rows]


def refused(conn: psycopg.Connection[Any], target: str, limit: int) -> list[Refused]:
    """Return the first events that a target refused."""
    with errors():
        rows = conn.execute(_REFUSED, (target, limit)).fetchall()
    return [Refused(*row) for row in rows]
