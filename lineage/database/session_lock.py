"""An advisory lock of a session, for steps that are not in one transaction."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import psycopg

from lineage.database.errors import translate_errors

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def hold_lock(conn: psycopg.Connection[Any], key: int) -> Iterator[None]:
    """Wait until no other session holds the lock, and hold it. Raises DatabaseError."""
    with translate_errors():
        conn.execute("SELECT pg_advisory_lock(%s)", [key])
    try:
        yield
    finally:
        # A lost connection has released its locks. An error here must not hide the original one.
        with suppress(psycopg.Error):
            conn.execute("SELECT pg_advisory_unlock(%s)", [key])
