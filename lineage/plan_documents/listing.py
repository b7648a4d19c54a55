"""What plan documents are kept, newest first, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    import psycopg


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


_SQL = StatementFile(__file__)
_SELECT_DOCUMENTS = _SQL.statement("select_newest_documents", Listed)


def list_documents(
    conn: psycopg.Connection[Any],
    limit: int,
    *,
    application: str | None = None,
    rejected: bool = False,
) -> list[Listed]:
    """Return the newest documents, at most ``limit``: of an application, or those set aside."""
    with translate_errors():
        return _SELECT_DOCUMENTS.fetch(
            conn, application=application, rejected=rejected, limit=limit
        )
