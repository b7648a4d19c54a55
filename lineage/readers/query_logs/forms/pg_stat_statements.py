"""Rows of pg_stat_statements: statements that ran since a reset, without times of their own.

They are declared lineage: neither runs nor sessions are known. ``user`` and ``database`` are names
that the export adds: ``SELECT r.rolname AS "user", d.datname AS database, s.query, s.calls …``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lineage.readers.files import read_table, table_columns
from lineage.readers.query_logs.forms.form import optional_text, required_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.readers.files import Source
    from lineage.readers.query_logs.forms.form import Reading

from lineage.errors import InvalidEvent

NAME = "pg_stat_statements"
_COLUMNS = {"query", "calls"}


class DeclaredText(NamedTuple):
    """A statement that is declared: its text, and the user and database that name its job."""

    text: str
    user: str
    database: str


def matches_source(source: Source) -> bool:
    """Return whether a file has the columns of pg_stat_statements."""
    columns = table_columns(source)
    return set(columns) >= _COLUMNS


def read_source(source: Source, reading: Reading) -> Iterator[tuple[str, DeclaredText]]:
    """Yield each statement with its place."""
    records = read_table(source, reading.on_bad)
    for number, record in records:
        place = f"{source.name}:{number}"
        try:
            text = required_text(record, "query", place)
        except InvalidEvent as error:
            reading.on_bad(error)
            continue
        user = optional_text(record, "user") or optional_text(record, "rolname")
        database = optional_text(record, "database") or optional_text(record, "datname")
        yield place, DeclaredText(text, user, database)
