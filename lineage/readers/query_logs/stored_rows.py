"""Rows as they are stored: their fields, and the statements of their texts without literals."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from lineage.readers.query_logs.rows import Row, begin_time
from lineage.readers.query_logs.texts import TextReader, decode_statements, observed_statement
from lineage.redaction import redact_text

if TYPE_CHECKING:
    from lineage.sql.records import Statement

# How much of a text is kept, by the values of --text.
DETAILS = {"none": 0, "shape": 1, "full": 2}
_encode = msgspec.json.Encoder().encode
_decode_row = msgspec.json.Decoder(Row).decode


class StoredText(NamedTuple):
    """A row to be stored. ``statement``: digest of ``statements``, or None if it has no text."""

    unit: str
    begin: str
    time: str
    sha256: bytes
    body: str
    statement: bytes | None
    statements: str
    detail: int
    text: str | None


class StoredRow(NamedTuple):
    """A row as it is stored. ``part``: the number of its part in the query, from 1."""

    part: int
    body: str
    statements: str | None
    statement: bytes | None
    detail: int
    text: str | None
    sha256: bytes


class LoadedRow(NamedTuple):
    """A row with its statements. ``statement`` is equal for equal statements."""

    row: Row
    statements: tuple[Statement, ...]
    statement: bytes | None
    sha256: bytes
    text: str | None = None


def store_row(row: Row, reader: TextReader, detail: int) -> StoredText:
    """Return a row as it is stored. The texts of ``reader`` are read in its dialect."""
    plain = row._replace(
        job=redact_text(row.job), user=redact_text(row.user), host=redact_text(row.host), text=""
    )
    body = _encode(plain).decode()
    read = reader.read_text(row.text) if row.text else None
    key = hashlib.sha256(body.encode())
    if read:
        key.update(read.digest)
    return StoredText(
        plain.unit_key,
        begin_time(row.time, row.duration),
        row.time,
        key.digest(),
        body,
        None if read is None else read.digest if detail else read.bare_digest,
        "" if read is None else read.body if detail else read.bare_body,
        detail,
        row.text if detail == DETAILS["full"] else None,
    )


def load_row(stored: StoredText | StoredRow) -> LoadedRow:
    """Return a stored row with its statements."""
    row = _decode_row(stored.body.encode())
    read = decode_statements(stored.statements) if stored.statements else ()
    if row.observed:
        read = (observed_statement(row.observed),)
    return LoadedRow(row, read, stored.statement, stored.sha256, stored.text)
