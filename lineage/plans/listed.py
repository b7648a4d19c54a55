"""What plan documents are kept, newest first, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.database.errors import errors

if TYPE_CHECKING:
    import psycopg

_LISTED = """
SELECT lineage.iso(d.received_at), lineage.iso(d.time), d.kind, d.application, d.execution,
       CASE WHEN u.sha256 IS NULL THEN 'converted'
            WHEN u.reason IS NULL THEN 'waiting' ELSE 'set aside' END,
       u.reason, d.body
FROM lineage.document d LEFT JOIN lineage.unconverted u USING (sha256, time)
WHERE (d.application = %(application)s OR %(application)s::text IS NULL)
  AND (u.reason IS NOT NULL OR NOT %(failed)s)
ORDER BY d.received_at DESC, d.time DESC, d.sha256 LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class Listed:
    """A document as it came; ``state`` is converted, waiting or set aside, for a reason."""

    received_at: str
    time: str
    kind: str
    application: str
    execution: int | None
    state: str
    reason: str | None
    body: str


def listed(
    conn: psycopg.Connection[Any],
    limit: int,
    *,
    application: str | None = None,
    failed: bool = False,
) -> list[Listed]:
    """Return the newest documents, at most ``limit``: of an application, or those set aside."""
    params = {"application": application, "failed": failed, "limit": limit}
    with errors():
        return [Listed(*row) for row in conn.execute(_LISTED, params)]
