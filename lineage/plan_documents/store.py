"""Store plan documents unchanged, each once; parse only fields common to all versions."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Struct

from lineage.database.statements import StatementFile
from lineage.errors import InvalidEvent
from lineage.openlineage.timestamps import of_milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import psycopg

    from lineage.database.statements import Statement

_YEAR_10000 = 253_402_300_800_000  # in milliseconds: the upper limit of times
_Name = Annotated[str, Meta(pattern=r"^[\x20-\x7e]{1,100}$")]

_COUNT = "SELECT count(*) FROM lineage.plan_document"


class StoredDocumentRow(NamedTuple):
    """The columns of a stored document."""

    sha256: bytes
    time: str
    application: str
    kind: str
    execution: int | None
    body: str
    namespaces: list[str] | None


_SQL = StatementFile(__file__)
_INSERT_DOCUMENTS = _SQL.statement("insert_documents", bytes)
_OF_EXECUTIONS = _SQL.statement("select_documents_of_executions", StoredDocumentRow)
_ENDS = _SQL.statement("select_application_ends", StoredDocumentRow)
_WITHOUT_START = _SQL.statement("select_ends_without_start", StoredDocumentRow)


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document with its identifying fields. ``time`` is UTC in ISO 8601.

    ``namespaces`` are those of the token that it was sent with; its events may change no others.
    """

    sha256: bytes
    time: str
    application: str
    kind: str
    execution: int | None
    body: str
    namespaces: Sequence[str] | None = None
    namespace: str = "default"


class _Application(Struct):
    run: _Name
    namespace: str | None = None


class _Envelope(Struct):
    lineage: int
    kind: _Name
    time: Annotated[int, Meta(ge=0, lt=_YEAR_10000)]
    app: _Application
    execution: Any = None


_ENVELOPE = msgspec.json.Decoder(_Envelope)


def read_document(line: bytes) -> StoredDocument:
    """Parse the document of a line, of any version and kind. Raises InvalidEvent."""
    try:
        envelope, body = _ENVELOPE.decode(line), line.decode()
    except RecursionError as error:
        raise InvalidEvent("it is nested too deeply") from error
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        raise InvalidEvent(f"{place.strip('`.') or 'it'}: {what}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidEvent(f"it is not JSON: {error}") from error
    return StoredDocument(
        hashlib.sha256(line).digest(),
        of_milliseconds(envelope.time),
        envelope.app.run,
        envelope.kind,
        _read_execution(envelope.execution),
        body,
        namespace=envelope.app.namespace or "default",
    )


def _read_execution(value: Any) -> int | None:
    id = value.get("id") if isinstance(value, dict) else None
    return id if isinstance(id, int) and abs(id) < 1 << 63 else None


def append_documents(
    conn: psycopg.Connection[Any], documents: Iterable[StoredDocument]
) -> list[StoredDocument]:
    """Store documents, and queue the new ones for conversion; return these."""
    # In order of digest, so that two writers of the same documents cannot deadlock.
    batch = [
        stored for _, stored in sorted({stored.sha256: stored for stored in documents}.items())
    ]
    rows = _INSERT_DOCUMENTS.fetch(
        conn,
        sha256s=[stored.sha256 for stored in batch],
        times=[stored.time for stored in batch],
        applications=[stored.application for stored in batch],
        kinds=[stored.kind for stored in batch],
        executions=[stored.execution for stored in batch],
        bodies=[stored.body for stored in batch],
        namespaces=[
            json.dumps(stored.namespaces) if stored.namespaces else None for stored in batch
        ],
    )
    new = set(rows)
    return [stored for stored in batch if stored.sha256 in new]


def of_executions(
    conn: psycopg.Connection[Any], documents: Iterable[StoredDocument]
) -> list[StoredDocument]:
    """Return all documents of the executions in ``documents``."""
    about = [
        (stored.application, stored.execution)
        for stored in documents
        if stored.execution is not None
    ]
    applications, executions = [run for run, _ in about], [id for _, id in about]
    return fetch_documents(conn, _OF_EXECUTIONS, applications=applications, executions=executions)


def select_ends(conn: psycopg.Connection[Any], applications: list[str]) -> list[StoredDocument]:
    """Return the end documents of those applications that also have a start document."""
    return fetch_documents(conn, _ENDS, applications=applications)


def without_start(conn: psycopg.Connection[Any], applications: list[str]) -> list[StoredDocument]:
    """Return the end documents of executions without a start document."""
    return fetch_documents(conn, _WITHOUT_START, applications=applications)


def fetch_documents(
    conn: psycopg.Connection[Any], statement: Statement[StoredDocumentRow], **params: object
) -> list[StoredDocument]:
    """Return the documents that a statement selects."""
    return [StoredDocument(*row) for row in statement.execute(conn, **params)]


def count_documents(conn: psycopg.Connection[Any]) -> int:
    """Return the number of documents."""
    [(count,)] = conn.execute(_COUNT).fetchall()
    return int(count)
