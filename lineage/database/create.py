"""Create missing databases of a server."""

from __future__ import annotations

from psycopg import errors as states
from psycopg import sql

from lineage.database.connection import connect
from lineage.database.errors import translate_errors


def ensure_database(maintenance: str, name: str) -> bool:
    """Create the database ``name`` if it does not exist; return whether it was created.

    ``maintenance``: DSN of another database of the same server, such as ``postgres``.
    """
    with connect(maintenance, autocommit=True) as conn, translate_errors():
        if conn.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchall():
            return False
        try:
            conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        except (states.DuplicateDatabase, states.UniqueViolation):
            # created by another session
            return False
        return True
