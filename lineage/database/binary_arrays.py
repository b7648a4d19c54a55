"""Encode columns of a batch as PostgreSQL arrays in binary format, and decode times.

psycopg handles lists of any type item by item. These functions handle one type each and are faster,
which matters for the many items of a batch or of a trace.
"""

from __future__ import annotations

import struct
from datetime import datetime
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lineage.database.statements import Statement

    Row = TypeVar("Row")
    Kind: TypeAlias = Callable[[Sequence[Any]], "Array"]

_BOOL, _BYTEA, _INT8, _TEXT, _FLOAT8, _TIMESTAMPTZ = 16, 17, 20, 25, 701, 1184
_NULL = struct.pack("!i", -1)
_LENGTH = struct.Struct("!i").pack
_LENGTH_AND_EIGHT = struct.Struct("!iq")
_EIGHT = _LENGTH_AND_EIGHT.pack
# Number of dimensions, whether there are nulls, type, number of items, first index.
_HEADER = struct.Struct("!iiiii")
_BEGINNING = datetime(2000, 1, 1)


class Array(bytes):
    """An encoded array; the statement casts it to its type."""


class _ArrayDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: bytes) -> bytes:
        return obj


psycopg.adapters.register_dumper(Array, _ArrayDumper)


def adapt_arrays(conn: psycopg.Connection[Any]) -> None:
    """Register the array dumper on ``conn``, which may be older than the import of this module."""
    conn.adapters.register_dumper(Array, _ArrayDumper)


def text_array(values: Sequence[str | None]) -> Array:
    """Encode texts as text[]."""
    items = [_NULL if value is None else _encode_item(value.encode()) for value in values]
    return _encode_array(_TEXT, len(values), b"".join(items))


def encoded_text_array(values: Sequence[bytes]) -> Array:
    """Encode texts, given as UTF-8 bytes, as text[]."""
    return _encode_array(_TEXT, len(values), b"".join(map(_encode_item, values)))


def bytea_array(values: Sequence[bytes]) -> Array:
    """Encode values as bytea[]."""
    return _encode_array(_BYTEA, len(values), b"".join(map(_encode_item, values)))


def bigint_array(values: Sequence[int]) -> Array:
    """Encode numbers as bigint[]."""
    packed = struct.pack(f"!{'iq' * len(values)}", *chain(*[(8, value) for value in values]))
    return _encode_array(_INT8, len(values), packed)


def float_array(values: Sequence[float]) -> Array:
    """Encode numbers as double precision[]."""
    packed = struct.pack(f"!{'id' * len(values)}", *chain(*[(8, value) for value in values]))
    return _encode_array(_FLOAT8, len(values), packed)


def optional_numbers(values: Sequence[int | None]) -> Array:
    """Encode numbers as bigint[]; None becomes null."""
    items = [_NULL if value is None else _EIGHT(8, value) for value in values]
    return _encode_array(_INT8, len(values), b"".join(items))


def timestamptz_array(values: Sequence[str | None]) -> Array:
    """Encode times in the format of events as timestamptz[]; None becomes null."""
    items = [_NULL if value is None else _EIGHT(8, to_microseconds(value)) for value in values]
    return _encode_array(_TIMESTAMPTZ, len(values), b"".join(items))


@lru_cache(1 << 14)  # times are repeated: all entities of an event have its time
def to_microseconds(time: str) -> int:
    """Convert a time in the format of events to microseconds since 2000, as in PostgreSQL."""
    since = datetime.fromisoformat(time[:26]) - _BEGINNING
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def decode_times(sent: bytes) -> list[int]:
    """Decode timestamptz[] without nulls, from ``array_send()``: microseconds since 2000."""
    return [time for _, time in _LENGTH_AND_EIGHT.iter_unpack(sent[_HEADER.size :])]


def decode_optional_times(sent: bytes) -> list[int | None]:
    """Decode timestamptz[] from ``array_send()``: microseconds since 2000, or None."""
    times: list[int | None] = []
    place = _HEADER.size
    while place < len(sent):
        if sent.startswith(_NULL, place):
            times.append(None)
            place += len(_NULL)
        else:
            times.append(_LENGTH_AND_EIGHT.unpack_from(sent, place)[1])
            place += _LENGTH_AND_EIGHT.size
    return times


def boolean_array(values: Sequence[bool]) -> Array:
    """Encode values as boolean[]."""
    items = [b"\0\0\0\1\1" if value else b"\0\0\0\1\0" for value in values]
    return _encode_array(_BOOL, len(values), b"".join(items))


def define_columns(**kinds: Kind) -> Mapping[str, Kind]:
    """Define names and encoders of the columns of rows, in their order."""
    return kinds


def column_arrays(kinds: Mapping[str, Kind], rows: Sequence[tuple[Any, ...]]) -> dict[str, Array]:
    """Encode each column of ``rows``, of which there is at least one, as an array."""
    columns = zip(*rows, strict=True)
    return {name: kind(column) for (name, kind), column in zip(kinds.items(), columns, strict=True)}


def execute_rows(
    conn: psycopg.Connection[Any],
    statement: Statement[Row],
    kinds: Mapping[str, Kind],
    rows: Sequence[tuple[Any, ...]],
) -> list[Row]:
    """Execute a statement with an array for each column of ``rows``; without rows, do nothing."""
    if not rows:
        return []
    cursor = statement.execute(conn, **column_arrays(kinds, rows))
    return cursor.fetchall() if cursor.description else []


def _encode_item(value: bytes) -> bytes:
    return _LENGTH(len(value)) + value


def _encode_array(type: int, length: int, items: bytes) -> Array:
    """Encode an array of one dimension with lower bound 1, or of no dimension if it is empty."""
    if not length:
        return Array(struct.pack("!iii", 0, 0, type))
    # The second value is the flag for nulls. array_recv() determines itself whether there are any.
    return Array(_HEADER.pack(1, 1, type, length, 1) + items)
