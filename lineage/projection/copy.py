"""Binary COPY of rows that are new: PostgreSQL writes whole pages and checks no conflict.

No other transaction can have written rows of a run that did not exist before. The server parses
the binary format faster than text.
"""

from __future__ import annotations

import struct
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

from lineage.database import binary_copy
from lineage.database.binary_arrays import to_microseconds
from lineage.database.binary_copy import copy_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Set

    import psycopg

    Row = TypeVar("Row", bound=tuple[Any, ...])

_VERSION = b"\1"  # of the binary formats of jsonb and agtype; the text of the value follows

_EXECUTIONS = "COPY lineage.execution (run, job, first_seen, last_seen) FROM STDIN (FORMAT binary)"
_EXECUTION = struct.Struct("!hiqiqiqiq").pack
_PARENT_EXECUTION = struct.Struct("!hiqiqii").pack

_EXECUTES = 'COPY provenance."EXECUTES" (start_id, end_id) FROM STDIN (FORMAT binary)'
_EDGE = struct.Struct("!hiqiq").pack

_ACCESSES = """
COPY lineage.access (run, job, dataset, output, first_seen, last_seen, facets)
FROM STDIN (FORMAT binary)
"""
_ACCESS = struct.Struct("!hiqiqiqi?iqiqi").pack

_INPUTS = 'COPY provenance."INPUT_TO" (start_id, end_id, properties) FROM STDIN (FORMAT binary)'
_OUTPUTS = 'COPY provenance."OUTPUTS" (start_id, end_id, properties) FROM STDIN (FORMAT binary)'
_EDGE_WITH = struct.Struct("!hiqiqi").pack

_RUN_MAPPINGS = """
COPY lineage.run_column_mapping (run, job, dataset, revision, mapping) FROM STDIN (FORMAT binary)
"""
_KEYS = struct.Struct("!hiqiqiqi").pack
_NUMBER = struct.Struct("!iq").pack


_run_of = itemgetter(0)


def split_new(rows: list[Row], existing: Set[int]) -> tuple[list[Row], list[Row]]:
    """Split rows, each of which begins with a run, into rows for COPY and other rows.

    Rows of new runs can be copied: no other transaction can reference an uncommitted run. For a few
    rows COPY is not worthwhile.
    """
    new = [row for row in rows if _run_of(row) not in existing]
    if len(new) < binary_copy.MANY:
        return [], rows
    return new, [row for row in rows if _run_of(row) in existing] if len(new) < len(rows) else []


def copy_executions(
    conn: psycopg.Connection[Any], rows: Iterable[tuple[int, int, str | None, str | None]]
) -> None:
    """Write executions, with first and last time if they have them, and their edges."""
    executions = list(rows)
    copy_rows(conn, _EXECUTIONS, [_encode_execution(*row) for row in executions])
    copy_rows(conn, _EXECUTES, [_EDGE(2, 8, job, 8, run) for run, job, _, _ in executions])


def _encode_execution(run: int, job: int, first: str | None, last: str | None) -> bytes:
    if first is None or last is None:
        return _PARENT_EXECUTION(4, 8, run, 8, job, -1, -1)
    return _EXECUTION(4, 8, run, 8, job, 8, to_microseconds(first), 8, to_microseconds(last))


def copy_accesses(
    conn: psycopg.Connection[Any],
    rows: Iterable[tuple[int, int, int, bool, str, str, str, int | None]],
) -> None:
    """Write accesses: run, job, dataset, is_output, first and last time, facets.

    The last value of a row, the canonical dataset, is not written.
    """
    encoded = []
    for run, job, dataset, is_output, first, last, facets, _ in rows:
        body = _VERSION + facets.encode()
        since, until = to_microseconds(first), to_microseconds(last)
        encoded.append(
            _ACCESS(7, 8, run, 8, job, 8, dataset, 1, is_output, 8, since, 8, until, len(body))
        )
        encoded.append(body)
    copy_rows(conn, _ACCESSES, encoded)


def copy_input_edges(conn: psycopg.Connection[Any], rows: Iterable[tuple[int, int, str]]) -> None:
    """Write INPUT_TO edges: run, dataset vertex, first time."""
    copy_rows(conn, _INPUTS, [_encode_edge(vertex, run, time) for run, vertex, time in rows])


def copy_output_edges(conn: psycopg.Connection[Any], rows: Iterable[tuple[int, int, str]]) -> None:
    """Write OUTPUTS edges: run, dataset vertex, last time."""
    copy_rows(conn, _OUTPUTS, [_encode_edge(run, vertex, time) for run, vertex, time in rows])


def _encode_edge(start: int, end: int, time: str) -> bytes:
    properties = b'\1{"time": "%b"}' % time.encode()
    return _EDGE_WITH(3, 8, start, 8, end, len(properties)) + properties


def run_mappings(
    conn: psycopg.Connection[Any], rows: Iterable[tuple[int, int, int, str, int]]
) -> None:
    """Write column mappings of runs: run, job, dataset, revision, mapping."""
    copy_rows(conn, _RUN_MAPPINGS, [_run_mapping(*row) for row in rows])


def _run_mapping(run: int, job: int, dataset: int, revision: str, mapping: int) -> bytes:
    encoded = revision.encode()
    return _KEYS(5, 8, run, 8, job, 8, dataset, len(encoded)) + encoded + _NUMBER(8, mapping)
