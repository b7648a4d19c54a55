"""The registered files of event lakes: their events are in the graph, but not in the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.database.session_lock import hold_lock
from lineage.database.statements import StatementFile
from lineage.eventlog import lake_files
from lineage.eventlog.lake_files import LakeFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    import psycopg

# Key of an advisory lock; see the table of locks in docs/explanation/projection.md.
_LOCK = 5463247
_SQL = StatementFile(__file__)
_SELECT_FILES = _SQL.statement("select_files", LakeFile)
_SELECT_UNPROJECTED = _SQL.statement("select_unprojected", str)
_INSERT_FILE = _SQL.statement("insert_file")
_DELETE_FILES = _SQL.statement("delete_files")
_MARK_PROJECTED = _SQL.statement("mark_projected")


def lock_files(conn: psycopg.Connection[Any]) -> AbstractContextManager[None]:
    """Hold the lock under which the files of a lake are listed and registered, or replaced."""
    return hold_lock(conn, _LOCK)


def archived_files(conn: psycopg.Connection[Any]) -> list[LakeFile]:
    """Return the files with archived events, oldest month first."""
    return _SELECT_FILES.fetch(conn)


def unprojected_locations(conn: psycopg.Connection[Any]) -> list[str]:
    """Return the locations of the files whose events may not be in the graph yet."""
    return _SELECT_UNPROJECTED.fetch(conn)


def mark_projected(conn: psycopg.Connection[Any], locations: list[str]) -> None:
    """Store that the events of registered files are in the graph."""
    _MARK_PROJECTED.execute(conn, locations=locations)


def register_file(
    conn: psycopg.Connection[Any], file: LakeFile, *, is_projected: bool = True
) -> None:
    """Store that a file contains events of the graph, which a rebuild then reads.

    ``is_projected``: whether its events are in the graph already.
    """
    _INSERT_FILE.execute(
        conn,
        location=file.location,
        month=file.month,
        events=file.events,
        digest_sum=file.digest_sum,
        table=file.table,
        is_projected=is_projected,
    )


def remove_files(conn: psycopg.Connection[Any], locations: list[str]) -> None:
    """Remove files from the registered ones; the caller registers others with their events."""
    _DELETE_FILES.execute(conn, locations=locations)


def read_archived_pages(
    conn: psycopg.Connection[Any], count: int, size: int
) -> Iterator[list[tuple[bytes, bytes]]]:
    """Yield digest and body of all archived events that are projected, as ``log.read_pages``.

    Raises LakeError if a file is missing or is not as it was archived.
    """
    for file in archived_files(conn):
        yield from lake_files.read_pages(file, count, size)
