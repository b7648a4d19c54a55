"""Import query logs: store rows, fold the parts that gained rows, write the events of runs."""

from __future__ import annotations

import hashlib
from functools import partial
from itertools import chain, islice
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
from lineage.readers.query_logs.parts import Part, Period, is_pause, split_rows
from lineage.readers.query_logs.session_state import is_one_session
from lineage.readers.query_logs.storage import IDLE_SECONDS
from lineage.readers.query_logs.stored_rows import load_row, store_row
from lineage.readers.query_logs.texts import TextReader
from lineage.readers.query_logs.units import (
    UnitFolder,
    begins_transaction,
    find_open_time,
    find_state_time,
)
from lineage.readers.server_names import ServerNames

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import psycopg

    from lineage.events.entry import Entry
    from lineage.readers.log_source import LogSource
    from lineage.readers.query_logs.rows import Row
    from lineage.readers.query_logs.storage import StalePart
    from lineage.readers.query_logs.stored_rows import LoadedRow, StoredText
    from lineage.readers.query_logs.units import ImportedRun
    from lineage.readers.report import ImportReport


PARTS = 200  # that are read from the database at a time


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
        distinct = {row.sha256: row for row in stored_rows}.values()
        state_time = find_state_time(unit, ((row.time, row.statements) for row in distinct))
        parts = split_rows(((Period(row.begin, row.time), row) for row in distinct), IDLE_SECONDS)
        open_time = find_open_time(
            [(row.time, row.statements) for row in part]
            for _, part in (parts if is_one_session(unit) else ())
        )
        folder = UnitFolder(reader, (state_time, open_time))
        for number, ((first, last), inside) in enumerate(parts):
            part = Part(unit, first, is_pause(last, newest, IDLE_SECONDS))
            load_earlier = partial(_load_parts, parts[:number])
            for imported in folder.fold_part(part, map(load_row, inside), load_earlier):
                _report_run(imported, report)
                report.events += len(imported.events)
                yield from imported.events


def _load_parts(parts: Iterable[tuple[Period, list[StoredText]]]) -> Iterator[LoadedRow]:
    """Yield the rows of parts."""
    for _, rows in parts:
        yield from map(load_row, rows)


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
        stale = storage.select_stale(conn)
        folders = _Folders(conn, stale)
        for start in range(0, len(stale), PARTS):
            with pause_collection():
                written = _fold_parts(conn, stale[start : start + PARTS], folders)
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


class _Folders(dict[tuple[str, str], UnitFolder]):
    """The folders of the units that stale parts are of, by server and unit."""

    def __init__(self, conn: psycopg.Connection[Any], stale: list[StalePart]) -> None:
        self._conn = conn
        self._servers = _Servers(conn)
        self._last = {(part.server, part.unit): part for part in stale}

    def keep_units(self, parts: list[StalePart]) -> None:
        """Add the folders of units that are new, and remove those of others."""
        keys = dict.fromkeys((part.server, part.unit) for part in parts)
        for key in self.keys() - keys:
            del self[key]
        new = [self._last[key] for key in keys if key not in self]
        sessions = [part for part in new if is_one_session(part.unit)]
        earlier = storage.select_earlier_statements(self._conn, sessions)
        opens = {each.sha256: begins_transaction(each.statements) for each in chain(*earlier)}
        begins = [digest for digest, is_open in opens.items() if is_open]
        endings = [digest for digest, is_open in opens.items() if is_open is False]
        open_times = storage.select_open_times(self._conn, sessions, begins, endings)
        statements = dict(zip(sessions, earlier, strict=True))
        for part in new:
            bodies = ((each.first_time, each.statements) for each in statements.get(part, ()))
            times = find_state_time(part.unit, bodies), open_times.get(part, "")
            self[part.server, part.unit] = UnitFolder(self._servers[part.server], times)


def _fold_parts(
    conn: psycopg.Connection[Any], parts: list[StalePart], folders: _Folders
) -> list[tuple[StalePart, list[ImportedRun]]]:
    """Return the runs of each part."""
    rows_of_parts = storage.select_rows(conn, parts)
    folders.keep_units(parts)
    return [
        (
            each,
            folders[each.server, each.unit].fold_part(
                Part(each.unit, each.first_time, each.has_ended),
                map(load_row, rows),
                partial(_load_earlier, conn, each),
            ),
        )
        for each, rows in zip(parts, rows_of_parts, strict=True)
    ]


def _load_earlier(conn: psycopg.Connection[Any], part: StalePart) -> list[LoadedRow]:
    """Return the rows of a unit before a part."""
    # To the first time of the part, which rows of it may have.
    period = part._replace(first_time="-infinity", last_time=part.first_time)
    [rows] = storage.select_rows(conn, [period])
    return [each for each in map(load_row, rows) if each.row.time < part.first_time]


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
