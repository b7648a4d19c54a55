"""Tables of imported rows: each row once, and the periods whose events are to be written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from lineage.database.binary_arrays import adapt_arrays, bytea_array, text_array
from lineage.database.statements import StatementFile
from lineage.readers.query_logs.parts import Period, merge_periods
from lineage.readers.query_logs.session_state import is_one_session
from lineage.readers.query_logs.stored_rows import StoredRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import psycopg

    from lineage.readers.query_logs.stored_rows import StoredText


# Rows of one statement.
CHUNK = 5_000
# A run ends after a pause of this many seconds without a statement.
IDLE_SECONDS = 30 * 60


class NewRow(NamedTuple):
    """A row that was inserted."""

    unit: str
    sha256: bytes


class PartRow(NamedTuple):
    """The period of a part."""

    unit: str
    first_time: str
    last_time: str


class StalePart(NamedTuple):
    """A part whose events are to be written; ``has_ended``: whether a pause follows it."""

    server: str
    unit: str
    first_time: str
    last_time: str
    has_ended: bool


class EarlierStatements(NamedTuple):
    """Statements of a unit before a part. ``part``: the number of the part in the query, from 1."""

    part: int
    first_time: str
    sha256: bytes
    statements: str


RowOfPart = TypeVar("RowOfPart", StoredRow, EarlierStatements)


class OpenTime(NamedTuple):
    """When a transaction of a unit began. ``number``: that of the unit in the query, from 1."""

    number: int
    time: str


class ObjectRow(NamedTuple):
    """An object of a catalog."""

    kind: str
    name: str
    body: str


_SQL = StatementFile(__file__)
_LOCK = _SQL.statement("lock_imports")
_INSERT_STATEMENTS = _SQL.statement("insert_statements")
_INSERT_ROWS = _SQL.statement("insert_rows", NewRow)
_SELECT_PARTS = _SQL.statement("select_parts", PartRow)
_DELETE_PARTS = _SQL.statement("delete_parts")
_INSERT_PARTS = _SQL.statement("insert_parts")
_MARK_ENDED = _SQL.statement("mark_ended")
_MARK_SERVER = _SQL.statement("mark_server")
_SELECT_STALE = _SQL.statement("select_stale", StalePart)
_MARK_WRITTEN = _SQL.statement("mark_written")
_SELECT_ROWS = _SQL.statement("select_rows", StoredRow)
_SELECT_EARLIER = _SQL.statement("select_earlier_statements", EarlierStatements)
_SELECT_OPEN_TIMES = _SQL.statement("select_open_times", OpenTime)
_MARK_LATER = _SQL.statement("mark_later")
_SUPERSEDE = _SQL.statement("supersede_events", int)
_UPSERT_OBJECTS = _SQL.statement("upsert_objects", str)
_SELECT_OBJECTS = _SQL.statement("select_objects", ObjectRow)


def lock_imports(conn: psycopg.Connection[Any]) -> None:
    """Exclude other imports until the transaction ends."""
    _LOCK.execute(conn)


def insert_rows(conn: psycopg.Connection[Any], server: str, rows: Sequence[StoredText]) -> int:
    """Store rows, and mark the parts that they belong to as stale; return the number of new rows.

    The caller holds the lock of imports.
    """
    texts = {row.statement: row.statements for row in rows if row.statement}
    adapt_arrays(conn)
    _INSERT_STATEMENTS.execute(
        conn, digests=bytea_array(list(texts)), bodies=text_array(list(texts.values()))
    )
    new = _INSERT_ROWS.fetch(
        conn,
        server=server,
        units=text_array([row.unit for row in rows]),
        times=text_array([row.time for row in rows]),
        digests=bytea_array([row.sha256 for row in rows]),
        bodies=text_array([row.body for row in rows]),
        statements=bytea_array([row.statement or b"" for row in rows]),
        details=[row.detail for row in rows],
        texts=text_array([row.text for row in rows]),
    )
    inserted = {(row.unit, row.sha256) for row in new}
    _extend_parts(conn, server, [row for row in rows if (row.unit, row.sha256) in inserted])
    return len(inserted)


def _extend_parts(conn: psycopg.Connection[Any], server: str, rows: Iterable[StoredText]) -> None:
    new: dict[str, list[Period]] = {}
    for row in rows:
        new.setdefault(row.unit, []).append(Period(row.begin, row.time))
    if not new:
        return
    existing: dict[str, list[Period]] = {}
    for part in _SELECT_PARTS.fetch(conn, server=server, units=list(new)):
        existing.setdefault(part.unit, []).append(Period(part.first_time, part.last_time))
    removed: list[PartRow] = []
    added: list[PartRow] = []
    for unit, periods in new.items():
        changed = merge_periods(existing.get(unit, []), periods, IDLE_SECONDS)
        removed += [PartRow(unit, *period) for period in changed.removed]
        added += [PartRow(unit, *period) for period in changed.added]
    _DELETE_PARTS.execute(
        conn,
        server=server,
        units=[part.unit for part in removed],
        firsts=[part.first_time for part in removed],
    )
    _INSERT_PARTS.execute(
        conn,
        server=server,
        units=[part.unit for part in added],
        firsts=[part.first_time for part in added],
        lasts=[part.last_time for part in added],
    )
    # Their sessions go on from the rows that are new.
    firsts = {part.unit: part.first_time for part in reversed(added) if is_one_session(part.unit)}
    _MARK_LATER.execute(conn, server=server, units=list(firsts), firsts=list(firsts.values()))


def select_stale(conn: psycopg.Connection[Any]) -> list[StalePart]:
    """Return the parts whose events are to be written."""
    _MARK_ENDED.execute(conn, idle=IDLE_SECONDS)
    return _SELECT_STALE.fetch(conn, idle=IDLE_SECONDS)


def select_rows(conn: psycopg.Connection[Any], parts: Sequence[StalePart]) -> list[list[StoredRow]]:
    """Return the rows of each part, in any order."""
    rows = _SELECT_ROWS.fetch(
        conn,
        servers=[part.server for part in parts],
        units=[part.unit for part in parts],
        firsts=[part.first_time for part in parts],
        lasts=[part.last_time for part in parts],
    )
    return _group_by_part(parts, rows)


def select_earlier_statements(
    conn: psycopg.Connection[Any], parts: Sequence[StalePart]
) -> list[list[EarlierStatements]]:
    """Return the statements of the unit before each part, each once, with their first times."""
    statements = _SELECT_EARLIER.fetch(
        conn,
        servers=[part.server for part in parts],
        units=[part.unit for part in parts],
        ends=[part.first_time for part in parts],
    )
    return _group_by_part(parts, statements)


def _group_by_part(parts: Sequence[StalePart], rows: Iterable[RowOfPart]) -> list[list[RowOfPart]]:
    """Return the rows of each part."""
    groups: list[list[RowOfPart]] = [[] for _ in parts]
    for row in rows:
        groups[row.part - 1].append(row)
    return groups


def select_open_times(
    conn: psycopg.Connection[Any],
    parts: Sequence[StalePart],
    begins: Sequence[bytes],
    endings: Sequence[bytes],
) -> dict[StalePart, str]:
    """Return when the unit of each part first began a transaction that a pause follows.

    Parts without one are left out. ``begins`` and ``endings``: digests of the statements that
    leave a transaction open, and of those that end one.
    """
    if not begins:
        return {}
    rows = _SELECT_OPEN_TIMES.fetch(
        conn,
        servers=[part.server for part in parts],
        units=[part.unit for part in parts],
        ends=[part.first_time for part in parts],
        begins=begins,
        endings=endings,
    )
    return {parts[row.number - 1]: row.time for row in rows}


def mark_written(conn: psycopg.Connection[Any], parts: Sequence[tuple[StalePart, bool]]) -> None:
    """Store that the events of parts are written, and whether each part is still open."""
    _MARK_WRITTEN.execute(
        conn,
        servers=[part.server for part, _ in parts],
        units=[part.unit for part, _ in parts],
        firsts=[part.first_time for part, _ in parts],
        opens=[is_open for _, is_open in parts],
    )


def supersede_events(
    conn: psycopg.Connection[Any],
    parts: Sequence[StalePart],
    documents: Sequence[bytes],
    digests: Sequence[bytes],
) -> int:
    """Supersede the events of parts that are not among ``digests``, and restore those that are.

    ``documents``: the key of each part's events in the log. Return the number of events that
    changed.
    """
    [changed] = _SUPERSEDE.fetch(
        conn,
        documents=documents,
        firsts=[part.first_time for part in parts],
        lasts=[part.last_time for part in parts],
        digests=digests,
    )
    return changed


def store_objects(
    conn: psycopg.Connection[Any], server: str, time: str, objects: Sequence[ObjectRow]
) -> int:
    """Store objects of a catalog as of ``time``; return how many changed.

    The parts of the server become stale if some changed.
    """
    changed = 0
    for start in range(0, len(objects), CHUNK):
        chunk = objects[start : start + CHUNK]
        changed += len(
            _UPSERT_OBJECTS.fetch(
                conn,
                server=server,
                time=time,
                kinds=[each.kind for each in chunk],
                names=[each.name for each in chunk],
                bodies=[each.body for each in chunk],
            )
        )
    if changed:
        _MARK_SERVER.execute(conn, server=server)
    return changed


def select_objects(conn: psycopg.Connection[Any], server: str) -> list[ObjectRow]:
    """Return the objects of a server's catalog."""
    return _SELECT_OBJECTS.fetch(conn, server=server)
