"""COPY in binary format: of rows that are new for sure, the server has next to nothing to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

# For fewer rows a statement more costs more than COPY saves.
MANY = 100

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = b"\xff\xff"


def copy_rows(conn: psycopg.Connection[Any], statement: str, rows: list[bytes]) -> None:
    """Write ``rows``, each encoded for COPY, by ``statement``; none, and nothing is sent."""
    if rows:
        with conn.cursor() as cursor, cursor.copy(statement) as copy:
            copy.write(b"".join([HEADER, *rows, END]))
