"""Translate errors of psycopg to errors of this package."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import psycopg

from lineage.errors import DatabaseError, DatabaseUnavailable, LineageError, NotMigrated, QueryError

if TYPE_CHECKING:
    from collections.abc import Iterator

_READ_ONLY = (
    "A standby is read-only: to write, connect to the primary server. On a primary server, unset"
    " default_transaction_read_only."
)

# SQLSTATE, or its class (the first two characters) -> error and hint. A complete state takes
# precedence over its class. https://www.postgresql.org/docs/current/errcodes-appendix.html
STATES: dict[str, tuple[type[LineageError], str | None]] = {
    "08": (DatabaseUnavailable, "Check that the server runs: lineage doctor"),
    "28": (DatabaseUnavailable, "Check user and password of the DSN."),
    "3D000": (DatabaseUnavailable, "Check the name of the database in the DSN."),
    "55P03": (DatabaseError, "Another session holds a conflicting lock: try again in a while."),
    "53300": (DatabaseUnavailable, "Wait until other connections end, or raise max_connections."),
    "57P": (DatabaseUnavailable, "The server is stopping or starting: try again."),
    "57014": (QueryError, "The query was cancelled: narrow it, or raise statement_timeout."),
    "25006": (QueryError, _READ_ONLY),
    "42501": (QueryError, "The role lacks a privilege: grant it, or connect as another role."),
    "42703": (NotMigrated, "Bring the database up to date: lineage migrate"),
    "42883": (NotMigrated, "Bring the database up to date: lineage migrate"),
    "42P01": (NotMigrated, "Bring the database up to date: lineage migrate"),
    "3F000": (NotMigrated, "Bring the database up to date: lineage migrate"),
    "0A": (QueryError, None),
    "21": (QueryError, None),
    "22": (QueryError, None),
    "42": (QueryError, None),
    "54": (QueryError, None),
    "40": (DatabaseError, "The transaction conflicts with another one: try again."),
    "53": (DatabaseError, "The server has reached a limit of disk space, memory or connections."),
    "58": (DatabaseError, "The server's operating system reported an error: see the server's log."),
    "XX": (DatabaseError, "This is an internal error of PostgreSQL or AGE: see the server's log."),
}


@contextlib.contextmanager
def translate_errors() -> Iterator[None]:
    """Translate errors of psycopg in the block to errors of this package."""
    try:
        yield
    except psycopg.Error as error:
        raise translate_error(error) from error


def translate_error(error: psycopg.Error) -> LineageError:
    """Return the error of this package for ``error``, with its message."""
    kind, hint = _error_kind(error)
    # If an object is missing because of a missing migration, the hint of the server misleads.
    reported_hint = None if kind is NotMigrated else error.diag.message_hint
    return kind(_error_message(error), reported_hint or hint)


def _error_kind(error: psycopg.Error) -> tuple[type[LineageError], str | None]:
    state = error.sqlstate or ""
    for length in (5, 3, 2):
        if kind := STATES.get(state[:length]):
            return kind
    if isinstance(error, psycopg.OperationalError) and not state:
        # No SQLSTATE: the connection ended without a response of the server.
        return DatabaseUnavailable, "Check that the server runs: lineage doctor"
    return DatabaseError, None


def _error_message(error: psycopg.Error) -> str:
    """Return the message of the server or, if there is none, the first line of that of libpq."""
    message = error.diag.message_primary or next(iter(str(error).splitlines()), "")
    message = message or type(error).__name__
    place = f" ({error.sqlstate})" if error.sqlstate else ""
    return f"The database reports: {message.rstrip('.')}{place}."
