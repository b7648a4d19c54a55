"""Databases of a server, made where they are missing."""

from __future__ import annotations

from psycopg import errors as states
from psycopg import sql

from lineage.database.connection import connect
from lineage.database.errors import translate_errors


def ensure_database(maintenance: str, name: str) -> bool:
    """Make the database ``name`` unless it is there; returns whether it was made.

    ``maintenance`` is the DSN of another database of the same server, as ``postgres``.
    """
    with connect(maintenance, autocommit=True) as conn, translate_errors():
        if conn.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchall():
            return False
        try:
            conn.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        except (states.DuplicateDatabase, states.UniqueViolation):
            # somebody else was quicker
            return False
        return True
