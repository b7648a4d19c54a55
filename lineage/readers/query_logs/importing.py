"""Import query logs: store rows, fold the parts that gained rows, write the events of runs."""

from __future__ import annotations

import hashlib
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from lineage.database.errors import translate_errors
from lineage.database.rights import require_owner
from lineage.eventlog import log
from lineage.events.entry import read_entry
from lineage.events.merge import BATCH_SIZE, Batch
from lineage.garbage import pause_collection
from lineage.projection import rebuild
from lineage.projection.project import project_batch
from lineage.projection.transaction import retry_exclusively
from lineage.readers.catalogs import load_catalog
from lineage.readers.query_logs import storage
from lineage.readers.query_logs.folding import PartReader
from lineage.readers.query_logs.parts import Part, Period, is_pause, merge_periods
from lineage.readers.query_logs.run_events import run_events
from lineage.readers.query_logs.session_state import is_one_session, set_state
from lineage.readers.query_logs.storage import IDLE_SECONDS
from lineage.readers.query_logs.stored_rows import load_row, store_row
from lineage.readers.query_logs.texts import TextReader, decode_statements
from lineage.readers.server_names import ServerNames

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import psycopg

    from lineage.events.entry import Entry
    from lineage.readers.log_source import LogSource
    from lineage.readers.query_logs.rows import Row
    from lineage.readers.query_logs.runs import Run
    from lineage.readers.query_logs.storage import StalePart
    from lineage.readers.query_logs.stored_rows import LoadedRow, StoredText
    from lineage.readers.report import ImportReport


PARTS = 200  # that are read from the database at a time


class ImportedRun(NamedTuple):
    """A run and its events."""

    run: Run
    events: list[bytes]


def read_rows(
    source: LogSource, rows: Iterable[tuple[str, Row]], report: ImportReport
) -> Iterator[StoredText]:
    """Yield rows as they are stored; report statements that cannot be read."""
    texts = TextReader(source.dialect)
    for place, row in rows:
        placed = row._replace(
            dialect=source.dialect,
            database=row.database or source.database,
            schema=row.schema or source.schema,
        )
        stored = store_row(placed, texts, source.detail)
        report.statements += bool(row.observed)
        if row.observed and row.observed.unresolved:
            report.add_unresolved(place, f"query {row.observed.id}", row.observed.unresolved)
        for statement in texts.last if row.text else ():
            if statement.unresolved:
                report.add_unresolved(place, statement.shape, statement.unresolved)
        yield stored
    report.statements += texts.count
    report.shapes += len(texts.shapes)


def fold_part(
    reader: PartReader, part: Part, rows: Iterable[LoadedRow], earlier: Iterable[LoadedRow] = ()
) -> list[ImportedRun]:
    """Return the runs of a part with their events. ``earlier``: the rows of its unit before it."""
    runs = reader.fold_rows(part.unit, rows, has_ended=part.has_ended, earlier=earlier)
    return [ImportedRun(run, list(run_events(run))) for run in runs]


def convert_rows(
    source: LogSource, rows: Iterable[tuple[str, Row]], report: ImportReport
) -> Iterator[bytes]:
    """Yield the events of rows, without a database: the same as ``import_rows`` writes."""
    units: dict[str, list[StoredText]] = {}
    for stored in read_rows(source, rows, report):
        units.setdefault(stored.unit, []).append(stored)
    newest = max((row.time for unit in units.values() for row in unit), default="")
    reader = PartReader(ServerNames(source.namespace))
    for unit, stored_rows in sorted(units.items()):
        distinct = list({row.sha256: row for row in stored_rows}.values())
        periods = merge_periods([], [Period(row.begin, row.time) for row in distinct], IDLE_SECONDS)
        for first, last in periods.added:
            part = Part(unit, is_pause(last, newest, IDLE_SECONDS))
            inside = (load_row(row) for row in distinct if first <= row.time <= last)
            for imported in fold_part(reader, part, inside, _find_earlier(unit, distinct, first)):
                _report_run(imported, report)
                report.events += len(imported.events)
                yield from imported.events


def _find_earlier(unit: str, rows: Iterable[StoredText], first: str) -> list[LoadedRow]:
    """Return the rows before a part, if the state of its session depends on them."""
    if not is_one_session(unit):
        return []
    earlier = [load_row(row) for row in rows if row.time < first]
    return earlier if any(set_state(each.statements) for each in earlier) else []


def import_rows(
    conn: psycopg.Connection[Any],
    source: LogSource,
    rows: Iterable[tuple[str, Row]],
    report: ImportReport,
) -> None:
    """Store rows, and write the events of their runs; rows that are stored already add nothing.

    Raises DatabaseError. Raises QueryError if the rows contradict events in the graph and the role
    may not rebuild it, and UsageError if a part of the log was deleted.
    """
    with translate_errors(), conn.transaction():
        storage.lock_imports(conn)
        stored = read_rows(source, rows, report)
        while _insert_chunk(conn, source, stored):
            pass
    write_stale_parts(conn, report)


def _insert_chunk(
    conn: psycopg.Connection[Any], source: LogSource, stored: Iterator[StoredText]
) -> bool:
    """Store the next rows; return whether there were any."""
    with pause_collection():
        chunk = list(islice(stored, storage.CHUNK))
        if chunk:
            storage.insert_rows(conn, source.namespace, chunk)
    return bool(chunk)


def import_objects(
    conn: psycopg.Connection[Any],
    server: str,
    time: str,
    objects: Sequence[storage.ObjectRow],
    report: ImportReport,
) -> None:
    """Store a catalog as of ``time``; if it changes, read the rows of the server again."""
    with translate_errors(), conn.transaction():
        storage.lock_imports(conn)
        storage.store_objects(conn, server, time, objects)
    write_stale_parts(conn, report)


def write_stale_parts(conn: psycopg.Connection[Any], report: ImportReport) -> None:
    """Write the events of all parts that gained rows, or whose catalog changed."""
    with translate_errors():
        counts = retry_exclusively(partial(_write_stale, conn))
    report.events += counts.events
    report.duplicates += counts.events - counts.new
    for run in counts.runs:
        _report_run(run, report)


def _report_run(imported: ImportedRun, report: ImportReport) -> None:
    report.runs += 1
    for each, occurred in imported.run.unresolved.items():
        place = f"{imported.run.job} at {occurred.time}"
        report.add_unresolved(place, each.shape, each.reasons, occurred.count)


class _Counts(NamedTuple):
    events: int
    new: int
    runs: list[ImportedRun]


def _write_stale(conn: psycopg.Connection[Any], *, exclusive: bool) -> _Counts:
    new: list[Entry] = []
    runs: list[ImportedRun] = []
    events = changed = 0
    with conn.transaction():
        storage.lock_imports(conn)
        servers = _Servers(conn)
        stale = storage.select_stale(conn)
        for start in range(0, len(stale), PARTS):
            with pause_collection():
                written = _fold_parts(conn, stale[start : start + PARTS], servers)
                entries, contradicted = _append_events(conn, written)
            new += entries
            changed += contradicted
            for _, imported in written:
                events += sum(len(each.events) for each in imported)
                runs += [each._replace(events=[]) for each in imported]
        _project_events(conn, new, exclusive=exclusive, is_contradicted=bool(changed))
    return _Counts(events, len(new), runs)


class _Servers(dict[str, PartReader]):
    """The reader of each server, made when it is first needed."""

    def __init__(self, conn: psycopg.Connection[Any]) -> None:
        self._conn = conn

    def __missing__(self, server: str) -> PartReader:
        catalog = load_catalog(self._conn, server)
        reader = self[server] = PartReader(ServerNames(server), catalog)
        return reader


def _fold_parts(
    conn: psycopg.Connection[Any], parts: list[StalePart], servers: _Servers
) -> list[tuple[StalePart, list[ImportedRun]]]:
    """Return the runs of each part."""
    rows_of_parts = storage.select_rows(conn, parts)
    rows_before = _select_earlier(conn, parts)
    return [
        (
            each,
            fold_part(
                servers[each.server],
                Part(each.unit, each.has_ended),
                map(load_row, rows),
                rows_before.get(each, ()),
            ),
        )
        for each, rows in zip(parts, rows_of_parts, strict=True)
    ]


def _select_earlier(
    conn: psycopg.Connection[Any], parts: list[StalePart]
) -> dict[StalePart, list[LoadedRow]]:
    """Return the rows before parts, if the state of their session depends on them."""
    sessions = [part for part in parts if is_one_session(part.unit)]
    statements = storage.select_earlier_statements(conn, sessions)
    dependent = [
        part
        for part, bodies in zip(sessions, statements, strict=True)
        if any(set_state(decode_statements(body)) for body in bodies)
    ]
    # To the first time of the part, which rows of it may have.
    periods = [
        part._replace(first_time="-infinity", last_time=part.first_time) for part in dependent
    ]
    return {
        part: [each for each in map(load_row, rows) if each.row.time < part.first_time]
        for part, rows in zip(dependent, storage.select_rows(conn, periods), strict=True)
    }


def _append_events(
    conn: psycopg.Connection[Any], written: list[tuple[StalePart, list[ImportedRun]]]
) -> tuple[list[Entry], int]:
    """Append the events of parts to the log; return the new ones.

    Also return the number of events in the log that no longer hold, or hold again.
    """
    documents = [
        hashlib.sha256(f"{part.server}\n{part.unit}".encode()).digest() for part, _ in written
    ]
    entries = [
        replace(read_entry(event), document=document)
        for document, (_, imported) in zip(documents, written, strict=True)
        for each in imported
        for event in each.events
    ]
    parts = [part for part, _ in written]
    changed = storage.supersede_events(conn, parts, documents, [each.sha256 for each in entries])
    opens = [not all(each.run.has_ended for each in imported) for _, imported in written]
    storage.mark_written(conn, list(zip(parts, opens, strict=True)))
    return log.append_events(conn, entries), changed


def _project_events(
    conn: psycopg.Connection[Any], new: list[Entry], *, exclusive: bool, is_contradicted: bool
) -> None:
    """Project new events; if others no longer hold, rebuild the graph in this transaction."""
    if is_contradicted:
        require_owner(conn, "replace events that an import contradicts")
        rebuild.need_whole_log(conn)
        rebuild.project_log(conn, BATCH_SIZE, lambda _: None)
        return
    for start in range(0, len(new), BATCH_SIZE):
        with pause_collection():
            batch = Batch.merge_entries(new[start : start + BATCH_SIZE])
            project_batch(conn, batch, exclusive=exclusive)
