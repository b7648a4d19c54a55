"""Convert all stored documents again, and rebuild the graph from their events."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

from lineage.database.errors import translate_errors
from lineage.database.rights import require_owner
from lineage.database.statements import StatementFile
from lineage.eventlog import log
from lineage.events.merge import BATCH_SIZE
from lineage.plan_documents import conversion, queue, store
from lineage.plan_documents.store import StoredDocument, StoredDocumentRow
from lineage.plan_documents.token_scope import withhold_foreign
from lineage.projection import rebuild

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

PAGE = 200


_SQL = StatementFile(__file__)
_SELECT_DOCUMENTS = _SQL.statement("select_documents", StoredDocumentRow)


_APPLICATIONS = (
    "SELECT DISTINCT application FROM lineage.plan_document WHERE kind = 'application_end'"
)

_REPLACE = """
INSERT INTO lineage.superseded_event (event)
SELECT id FROM lineage.event WHERE document = ANY (%b::bytea[]) AND sha256 <> ALL (%b::bytea[])
ON CONFLICT DO NOTHING
"""

_RESTORE_SUPERSEDED = """
DELETE FROM lineage.superseded_event r USING lineage.event e
WHERE e.id = r.event AND e.document = ANY (%b::bytea[]) AND e.sha256 = ANY (%b::bytea[])
"""


class Listener(Protocol):
    """Receives the progress of the work."""

    def on_converted(self, documents: int) -> None:
        """Called with the number of documents converted so far."""

    def on_projected(self, events: int) -> None:
        """Called with the number of events projected so far."""


@dataclass(slots=True)
class Replayed:
    """The number of documents, of their new events, and of events superseded by the conversion."""

    documents: int = 0
    new: int = 0
    replaced: int = 0


def reconvert_all(conn: psycopg.Connection[Any], listener: Listener, page: int = PAGE) -> Replayed:
    """Convert all documents, mark events that they no longer produce as superseded, and rebuild.

    This is one transaction, as ``rebuild`` is, and it excludes other conversions. Raises UsageError
    if the log is incomplete, and QueryError if the role is not the owner.
    """
    require_owner(conn, "replay plan documents")
    done = Replayed()
    with translate_errors(), conn.transaction():
        rebuild.need_whole_log(conn)
        queue.keep_others_out(conn)
        runs = [run for (run,) in conn.execute(_APPLICATIONS)]
        incomplete = {
            end.application
            for end in store.select_ends(conn, runs)
            if conversion.reports_lost_documents(end)
        }
        for documents in _read_pages(conn, page):
            converted = conversion.convert_documents(documents, incomplete=incomplete)
            withhold_foreign(conn, converted, documents)
            _record_results(conn, documents, converted, done)
            listener.on_converted(done.documents)
        rebuild.project_log(conn, BATCH_SIZE, listener.on_projected)
    return done


def _record_results(
    conn: psycopg.Connection[Any],
    documents: list[StoredDocument],
    converted: conversion.ConversionResult,
    done: Replayed,
) -> None:
    keys = [document.sha256 for document in documents]
    digests = [entry.sha256 for entry in converted.entries] or [b""]
    done.documents += len(documents)
    done.replaced += conn.execute(_REPLACE, (keys, digests)).rowcount
    conn.execute(_RESTORE_SUPERSEDED, (keys, digests))
    if converted.entries:
        done.new += len(log.append_events(conn, converted.entries))
    queue.remove_from_queue(conn, documents, converted.reasons)


def _read_pages(conn: psycopg.Connection[Any], size: int) -> Iterator[list[StoredDocument]]:
    """Yield all documents in pages; the documents of an execution are in one page."""
    page: list[StoredDocument] = []
    with conn.cursor(name="documents", row_factory=_SELECT_DOCUMENTS.row_factory) as cursor:
        rows = (StoredDocument(*row) for row in cursor.execute(_SELECT_DOCUMENTS.text, {}))
        for (_, execution), documents in groupby(rows, lambda d: (d.application, d.execution)):
            for document in documents:
                page.append(document)
                if execution is None and len(page) >= size:
                    yield page
                    page = []
            if len(page) >= size:
                yield page
                page = []
    if page:
        yield page
