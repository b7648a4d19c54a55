"""What the event log holds, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psycopg import sql

from lineage.database.errors import errors

if TYPE_CHECKING:
    import psycopg

_CONDITIONS = {
    "run": "e.run_id = %(run)s",
    "since": "e.event_time >= %(since)s::timestamptz",
    "failed": "EXISTS (SELECT FROM lineage.refused r WHERE r.event = e.id)",
}

_LISTED = """
SELECT lineage.iso(e.received_at), lineage.iso(e.event_time), e.said ->> 'eventType', e.run_id,
       e.said #>> '{{job,namespace}}', e.said #>> '{{job,name}}',
       CASE WHEN p.event IS NOT NULL THEN 'waiting'
            WHEN r.event IS NOT NULL THEN 'refused'
            WHEN EXISTS (SELECT FROM lineage.replaced n WHERE n.event = e.id) THEN 'replaced'
            ELSE 'drawn' END,
       r.reason, e.body
FROM (SELECT e.*, lineage.event_json(e.body) AS said FROM lineage.event e {where}
      ORDER BY e.id DESC LIMIT %(limit)s) AS e
LEFT JOIN lineage.pending p ON p.event = e.id
LEFT JOIN lineage.refused r ON r.event = e.id
ORDER BY e.id DESC
"""


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


def listed(
    conn: psycopg.Connection[Any],
    limit: int,
    *,
    run: str | None = None,
    since: str | None = None,
    failed: bool = False,
) -> list[Logged]:
    """Return the newest events, at most ``limit``: of a run, since a time, or those set aside.

    Raises QueryError where ``since`` is no time.
    """
    wanted = {"run": run, "since": since, "failed": failed or None}
    conditions = [sql.SQL(_CONDITIONS[name]) for name, value in wanted.items() if value is not None]
    where = (
        sql.SQL("WHERE {}").format(sql.SQL(" AND ").join(conditions)) if conditions else sql.SQL("")
    )
    with errors():
        rows = conn.execute(sql.SQL(_LISTED).format(where=where), {**wanted, "limit": limit})
        return [Logged(*row) for row in rows]
