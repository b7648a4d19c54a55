"""Reject events of plan documents outside the namespaces of the token they were sent with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lineage import naming
from lineage.openlineage.foreign_namespaces import find_foreign
from lineage.plan_documents import run_owners

if TYPE_CHECKING:
    from collections.abc import Iterable

    import psycopg

    from lineage.events.entry import Entry
    from lineage.plan_documents.conversion import ConversionResult
    from lineage.plan_documents.store import StoredDocument


def withhold_foreign(
    conn: psycopg.Connection[Any], converted: ConversionResult, documents: Iterable[StoredDocument]
) -> None:
    """Remove all events of a document from ``converted`` if its token does not permit one."""
    limits = {each.sha256: each.namespaces for each in documents if each.namespaces is not None}
    by_document: dict[bytes, list[Entry]] = {}
    for entry in converted.entries:
        if entry.document in limits:
            by_document.setdefault(entry.document, []).append(entry)
    for document, entries in by_document.items():
        foreign = _find_foreign(conn, limits[document], entries)
        if foreign:
            converted.reasons[document] = f"The token of the document does not cover {foreign}."
    converted.entries = [
        each for each in converted.entries if each.document not in converted.reasons
    ]


def _find_foreign(
    conn: psycopg.Connection[Any], namespaces: Iterable[str], entries: list[Entry]
) -> str | None:
    limits = list(namespaces)
    covers = partial(naming.covers_namespace, limits)
    for entry in entries:
        if foreign := find_foreign(entry.event, covers):
            return foreign
    refusals = run_owners.find_refusals(conn, limits, [entry.event for entry in entries])
    return next(iter(refusals.values()), None)
