"""Convert stored documents to their events, in any order of arrival.

The events are the same as those of reading a spool (lineage.spark.conversion.applications). In a
spool the documents of an application are in order, so the state between them is in memory. Here the
end of an execution is converted once its start has arrived or is known to be lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace
from openlineage.client.serde import Serde

from lineage.errors import InvalidEvent
from lineage.events.entry import Entry, read_entry
from lineage.spark.conversion.applications import complete_execution
from lineage.spark.conversion.convert import convert_document
from lineage.spark.document.document import EXECUTION_END, EXECUTION_START, Document
from lineage.spark.document.parser import parse_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Set

    from lineage.plan_documents.store import StoredDocument

WAITS_FOR_START = "The document has no plan, and the document of the start has not arrived."

Execution = tuple[str, int | None, int]  # the application, the execution's id and its start time


@dataclass(slots=True)
class ConversionResult:
    """The events of documents, and the reasons of documents that were not completely converted."""

    entries: list[Entry] = field(default_factory=list)
    reasons: dict[bytes, str] = field(default_factory=dict)


def convert_documents(
    documents: Iterable[StoredDocument],
    others: Iterable[StoredDocument] = (),
    incomplete: Set[str] = frozenset(),
) -> ConversionResult:
    """Convert documents to events.

    ``documents`` and ``others`` together contain all stored documents of each execution; the events
    of ``others`` are not returned. ``incomplete`` are the applications that will send no more
    documents, and of which some documents were lost.
    """
    result = ConversionResult()
    read = list(_parse_documents(documents, result))
    known = (*read, *_parse_documents(others, ConversionResult()))
    starts = {_execution_key(d): d for _, d in known if d.kind == EXECUTION_START}
    for stored, document in read:
        if document.kind == EXECUTION_END:
            start, is_lost = starts.get(_execution_key(document)), document.app.run in incomplete
            if not (start or document.main or is_lost):
                result.reasons[stored.sha256] = WAITS_FOR_START
                continue
            document = complete_execution(document, start, is_lost=is_lost)
        _convert_document(stored, document, result)
    return result


def reports_lost_documents(end: StoredDocument) -> bool:
    """Return whether the end of an application reports lost documents."""
    try:
        return bool(parse_document(end.body).facts.get("dropped"))
    except InvalidEvent:
        return False


def _parse_documents(
    documents: Iterable[StoredDocument], result: ConversionResult
) -> Iterator[tuple[StoredDocument, Document]]:
    for stored in documents:
        try:
            yield stored, parse_document(stored.body)
        except InvalidEvent as error:
            result.reasons[stored.sha256] = str(error)
        except RecursionError:
            result.reasons[stored.sha256] = "The document is nested too deeply."


def _execution_key(document: Document) -> Execution:
    assert document.execution is not None
    at = document.time if document.kind == EXECUTION_START else document.started
    return document.app.run, document.execution.id, at or 0


def _convert_document(stored: StoredDocument, document: Document, result: ConversionResult) -> None:
    try:
        for event in convert_document(document):
            result.entries.append(replace(read_entry(Serde.to_json(event)), document=stored.sha256))
    except InvalidEvent as error:
        result.reasons[stored.sha256] = str(error)
    except Exception as error:  # noqa: BLE001 - one document must not block all others
        reason = f"The document cannot be converted: {type(error).__name__}: {error}"
        result.reasons[stored.sha256] = reason
