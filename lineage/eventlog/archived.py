"""Events that were archived: the files of event lakes that contain them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.database.statements import StatementFile
from lineage.eventlog import lake_files
from lineage.eventlog.lake_files import LakeFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

_SQL = StatementFile(__file__)
_SELECT_FILES = _SQL.statement("select_files", LakeFile)
_INSERT_FILE = _SQL.statement("insert_file")


def archived_files(conn: psycopg.Connection[Any]) -> list[LakeFile]:
    """Return the files with archived events, oldest month first."""
    return _SELECT_FILES.fetch(conn)


def register_file(conn: psycopg.Connection[Any], file: LakeFile) -> None:
    """Store that the events of a file are archived. A file is registered once."""
    _INSERT_FILE.execute(
        conn,
        location=file.location,
        month=file.month,
        events=file.events,
        digest_sum=file.digest_sum,
    )


def read_archived_pages(
    conn: psycopg.Connection[Any], count: int, size: int
) -> Iterator[list[tuple[bytes, bytes]]]:
    """Yield digest and body of all archived events that are projected, as ``log.read_pages``.

    Raises LakeError if a file is missing or is not as it was archived.
    """
    for file in archived_files(conn):
        yield from lake_files.read_pages(file, count, size)
