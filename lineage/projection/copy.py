"""Rows that are new for sure, by COPY: PostgreSQL writes pages of them, and looks for no conflict.

Of a run that was not there before nobody else can have written anything. In binary format the
server has next to nothing to read.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from lineage.database.binary_arrays import microseconds

if TYPE_CHECKING:
    from collections.abc import Iterable

    import psycopg

# For fewer rows a statement more costs more than COPY saves.
MANY = 100

_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END = b"\xff\xff"
_VERSION = b"\1"  # of the binary formats of jsonb and agtype, which go on as text

_EVENTS = """
COPY lineage.event (sha256, event_time, run_id, body, document) FROM STDIN (FORMAT binary)
"""
_EVENT = struct.Struct("!hi32siqi").pack
_LENGTH = struct.Struct("!i").pack
_NOTHING = _LENGTH(-1)
# As much is sent at a time: memory for more is taken from the system anew each time.
_CHUNK = 1 << 20

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
COPY lineage.run_mapping (run, job, dataset, stamp, mapping) FROM STDIN (FORMAT binary)
"""
_KEYS = struct.Struct("!hiqiqiqi").pack
_NUMBER = struct.Struct("!iq").pack


def events(
    conn: psycopg.Connection[Any], rows: Iterable[tuple[bytes, str, str | None, bytes, bytes]]
) -> None:
    """Append to the log: digest, time, run, body, and the key of a plan document or nothing."""
    with conn.cursor() as cursor, cursor.copy(_EVENTS) as copy:
        chunk, size = [_HEADER], 0
        for row in rows:
            chunk += _event(*row)
            size += len(row[3])
            if size >= _CHUNK:
                copy.write(b"".join(chunk))
                chunk, size = [], 0
        copy.write(b"".join([*chunk, _END]))


def _event(
    sha256: bytes, time: str, run: str | None, body: bytes, document: bytes
) -> tuple[bytes, ...]:
    of_run = b"" if run is None else run.encode()
    said = _EVENT(5, 32, sha256, 8, microseconds(time), -1 if run is None else len(of_run))
    own = _LENGTH(len(document)) + document if document else _NOTHING
    return said, of_run, _LENGTH(len(body)), body, own


def executions(
    conn: psycopg.Connection[Any], rows: Iterable[tuple[int, int, str | None, str | None]]
) -> None:
    """Write runs as work of jobs, with first and last time if they have them, and draw them."""
    stated = list(rows)
    _copy(conn, _EXECUTIONS, [_execution(*row) for row in stated])
    _copy(conn, _EXECUTES, [_EDGE(2, 8, job, 8, run) for run, job, _, _ in stated])


def _execution(run: int, job: int, first: str | None, last: str | None) -> bytes:
    if first is None or last is None:
        return _PARENT_EXECUTION(4, 8, run, 8, job, -1, -1)
    return _EXECUTION(4, 8, run, 8, job, 8, microseconds(first), 8, microseconds(last))


def accesses(
    conn: psycopg.Connection[Any], rows: Iterable[tuple[int, int, int, bool, str, str, str]]
) -> None:
    """Write what runs, as work of jobs, read or wrote: when first and last, and its facets."""
    _copy(conn, _ACCESSES, [_access(*row) for row in rows])


def _access(
    run: int, job: int, dataset: int, output: bool, first: str, last: str, facets: str
) -> bytes:
    said = _VERSION + facets.encode()
    since, until = microseconds(first), microseconds(last)
    head = _ACCESS(7, 8, run, 8, job, 8, dataset, 1, output, 8, since, 8, until, len(said))
    return head + said


def inputs(conn: psycopg.Connection[Any], rows: Iterable[tuple[int, int, str]]) -> None:
    """Draw that runs read datasets: run, vertex, and when first."""
    _copy(conn, _INPUTS, [_edge(vertex, run, time) for run, vertex, time in rows])


def outputs(conn: psycopg.Connection[Any], rows: Iterable[tuple[int, int, str]]) -> None:
    """Draw that runs wrote datasets: run, vertex, and when last."""
    _copy(conn, _OUTPUTS, [_edge(run, vertex, time) for run, vertex, time in rows])


def _edge(start: int, end: int, time: str) -> bytes:
    properties = b'\1{"time": "%b"}' % time.encode()
    return _EDGE_WITH(3, 8, start, 8, end, len(properties)) + properties


def run_mappings(
    conn: psycopg.Connection[Any], rows: Iterable[tuple[int, int, int, str, int]]
) -> None:
    """Write what runs state of the columns of a dataset: the stamp, and the mapping."""
    _copy(conn, _RUN_MAPPINGS, [_run_mapping(*row) for row in rows])


def _run_mapping(run: int, job: int, dataset: int, stamp: str, mapping: int) -> bytes:
    said = stamp.encode()
    return _KEYS(5, 8, run, 8, job, 8, dataset, len(said)) + said + _NUMBER(8, mapping)


def _copy(conn: psycopg.Connection[Any], statement: str, rows: list[bytes]) -> None:
    if rows:
        with conn.cursor() as cursor, cursor.copy(statement) as copy:
            copy.write(b"".join([_HEADER, *rows, _END]))
