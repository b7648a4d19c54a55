"""Columns of a batch as PostgreSQL's arrays, in its binary format.

psycopg writes any list, item by item; these have one type and a batch has a hundred thousand items.
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

_BOOL, _BYTEA, _INT8, _TEXT, _TIMESTAMPTZ = 16, 17, 20, 25, 1184
_NULL = struct.pack("!i", -1)
_LENGTH = struct.Struct("!i").pack
_EIGHT = struct.Struct("!iq").pack
_BEGINNING = datetime(2000, 1, 1)


class Array(bytes):
    """An array as it goes to the server; the statement says of which type it is."""


class _ArrayDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: bytes) -> bytes:
        return obj


psycopg.adapters.register_dumper(Array, _ArrayDumper)


def adapt_arrays(conn: psycopg.Connection[Any]) -> None:
    """Let ``conn`` send arrays also if it was opened before this module was imported."""
    conn.adapters.register_dumper(Array, _ArrayDumper)


def text_array(values: Sequence[str | None]) -> Array:
    """Return text[]."""
    items = [_NULL if value is None else _encode_item(value.encode()) for value in values]
    return _encode_array(_TEXT, len(values), b"".join(items))


def encoded_text_array(values: Sequence[bytes]) -> Array:
    """Return text[] of texts in UTF-8."""
    return _encode_array(_TEXT, len(values), b"".join(map(_encode_item, values)))


def bytea_array(values: Sequence[bytes]) -> Array:
    """Return bytea[]."""
    return _encode_array(_BYTEA, len(values), b"".join(map(_encode_item, values)))


def bigint_array(values: Sequence[int]) -> Array:
    """Return bigint[]."""
    packed = struct.pack(f"!{'iq' * len(values)}", *chain(*[(8, value) for value in values]))
    return _encode_array(_INT8, len(values), packed)


def optional_numbers(values: Sequence[int | None]) -> Array:
    """Return bigint[], which may have nulls."""
    items = [_NULL if value is None else _EIGHT(8, value) for value in values]
    return _encode_array(_INT8, len(values), b"".join(items))


def timestamptz_array(values: Sequence[str | None]) -> Array:
    """Return timestamptz[] of times as events have them."""
    items = [_NULL if value is None else _EIGHT(8, to_microseconds(value)) for value in values]
    return _encode_array(_TIMESTAMPTZ, len(values), b"".join(items))


@lru_cache(1 << 14)  # an event tells its time of all that it names
def to_microseconds(time: str) -> int:
    """Return a time, as events have it, as PostgreSQL counts it: from the year 2000 on."""
    since = datetime.fromisoformat(time[:26]) - _BEGINNING
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def boolean_array(values: Sequence[bool]) -> Array:
    """Return boolean[]."""
    items = [b"\0\0\0\1\1" if value else b"\0\0\0\1\0" for value in values]
    return _encode_array(_BOOL, len(values), b"".join(items))


def define_columns(**kinds: Kind) -> Mapping[str, Kind]:
    """Return the name and the type of each column of rows, in their order."""
    return kinds


def column_arrays(kinds: Mapping[str, Kind], rows: Sequence[tuple[Any, ...]]) -> dict[str, Array]:
    """Return an array for each column of ``rows``, of which there is one at least."""
    columns = zip(*rows, strict=True)
    return {name: kind(column) for (name, kind), column in zip(kinds.items(), columns, strict=True)}


def execute_rows(
    conn: psycopg.Connection[Any],
    statement: Statement[Row],
    kinds: Mapping[str, Kind],
    rows: Sequence[tuple[Any, ...]],
) -> list[Row]:
    """Run a statement with an array for each column of ``rows``, if there are any."""
    if not rows:
        return []
    cursor = statement.execute(conn, **column_arrays(kinds, rows))
    return cursor.fetchall() if cursor.description else []


def _encode_item(value: bytes) -> bytes:
    return _LENGTH(len(value)) + value


def _encode_array(type: int, length: int, items: bytes) -> Array:
    """Return one dimension that begins at 1, or none where there is nothing."""
    if not length:
        return Array(struct.pack("!iii", 0, 0, type))
    # Whether there are nulls is told, and not believed by who reads it.
    return Array(struct.pack("!iiiii", 1, 1, type, length, 1) + items)
