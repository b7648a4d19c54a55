"""List stored plan documents with their state, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    import psycopg


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """A stored document; ``state`` is converted, pending or rejected, the latter with a reason."""

    received_at: str
    time: str
    kind: str
    application: str
    execution: int | None
    state: str
    reason: str | None
    body: str


_SQL = StatementFile(__file__)
_SELECT_DOCUMENTS = _SQL.statement("select_newest_documents", ListedDocument)


def list_documents(
    conn: psycopg.Connection[Any],
    limit: int,
    *,
    application: str | None = None,
    rejected: bool = False,
) -> list[ListedDocument]:
    """Return at most ``limit`` of the newest documents of an application, or of all.

    ``rejected``: only rejected documents.
    """
    with translate_errors():
        return _SELECT_DOCUMENTS.fetch(
            conn, application=application, rejected=rejected, limit=limit
        )
