"""Append events to the log by COPY, which cannot skip events that are already in the log."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from lineage.database.binary_arrays import to_microseconds
from lineage.database.binary_copy import END, HEADER

if TYPE_CHECKING:
    from collections.abc import Iterable

    import psycopg

_COPY = """
COPY lineage.event (sha256, event_time, run_id, body, document) FROM STDIN (FORMAT binary)
"""
_EVENT = struct.Struct("!hi32siqi").pack
_LENGTH = struct.Struct("!i").pack
_NOTHING = _LENGTH(-1)
# Bytes sent at a time: larger blocks are allocated from the operating system each time.
_CHUNK = 1 << 20


def copy_events(
    conn: psycopg.Connection[Any], rows: Iterable[tuple[bytes, str, str | None, bytes, bytes]]
) -> None:
    """Append rows: digest, time, run, body, and the key of a plan document or an empty value."""
    with conn.cursor() as cursor, cursor.copy(_COPY) as copy:
        chunk, size = [HEADER], 0
        for digest, time, run, body, document in rows:
            chunk += _encode_event(digest, time, run, body, document)
            size += len(body)
            if size >= _CHUNK:
                copy.write(b"".join(chunk))
                chunk, size = [], 0
        copy.write(b"".join([*chunk, END]))


def _encode_event(
    sha256: bytes, time: str, run: str | None, body: bytes, document: bytes
) -> tuple[bytes, ...]:
    of_run = b"" if run is None else run.encode()
    header = _EVENT(5, 32, sha256, 8, to_microseconds(time), -1 if run is None else len(of_run))
    own = _LENGTH(len(document)) + document if document else _NOTHING
    return header, of_run, _LENGTH(len(body)), body, own
