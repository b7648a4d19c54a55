"""COPY in binary format, which the server parses faster than text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

# For fewer rows, an additional statement costs more than COPY saves.
MANY = 100

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = b"\xff\xff"


def copy_rows(conn: psycopg.Connection[Any], statement: str, rows: list[bytes]) -> None:
    """Send ``rows``, encoded for binary COPY, by ``statement``. Without rows, send nothing."""
    if rows:
        with conn.cursor() as cursor, cursor.copy(statement) as copy:
            copy.write(b"".join([HEADER, *rows, END]))
