"""Errors of psycopg as errors of this package: the one place that knows both."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import psycopg

from lineage.errors import DatabaseError, DatabaseUnavailable, LineageError, NotMigrated, QueryError

if TYPE_CHECKING:
    from collections.abc import Iterator

# SQLSTATE, or the class that its first two characters are -> error and what to do next. A whole
# state goes before its class. https://www.postgresql.org/docs/current/errcodes-appendix.html
STATES: dict[str, tuple[type[LineageError], str | None]] = {
    "08": (DatabaseUnavailable, "Check that the server runs: lineage doctor"),
    "28": (DatabaseUnavailable, "Check user and password of the DSN."),
    "3D000": (DatabaseUnavailable, "Check the name of the database in the DSN."),
    "55P03": (DatabaseError, "Somebody else is at work on it: try again in a while."),
    "53300": (DatabaseUnavailable, "Wait until other connections end, or raise max_connections."),
    "57P": (DatabaseUnavailable, "The server is stopping or starting: try again."),
    "57014": (QueryError, "It was cancelled: narrow it down, or allow it more time."),
    "25006": (QueryError, "Only reading is allowed here."),
    "42501": (QueryError, "The role of this connection may not do that."),
    "42703": (NotMigrated, "Bring the database up to date: lineage migrate"),
    "42883": (NotMigrated, "Bring the database up to date: lineage migrate"),
    "42P01": (NotMigrated, "Bring the database up to date: lineage migrate"),
    "3F000": (NotMigrated, "Bring the database up to date: lineage migrate"),
    "0A": (QueryError, None),
    "21": (QueryError, None),
    "22": (QueryError, None),
    "42": (QueryError, None),
    "54": (QueryError, None),
    "40": (DatabaseError, "Another transaction was in the way: try again."),
    "53": (DatabaseError, "The server is out of disk, memory or connections."),
    "58": (DatabaseError, "The server's operating system refused it: see the server's log."),
    "XX": (DatabaseError, "This is a fault of the server or of AGE: see the server's log."),
}


@contextlib.contextmanager
def translate_errors() -> Iterator[None]:
    """Let errors of psycopg in the block leave it as errors of this package."""
    try:
        yield
    except psycopg.Error as error:
        raise translate_error(error) from error


def translate_error(error: psycopg.Error) -> LineageError:
    """The error of this package that says what ``error`` says."""
    kind, hint = _error_kind(error)
    # Of what is missing because a migration is, the server does not know why.
    reported_hint = None if kind is NotMigrated else error.diag.message_hint
    return kind(_error_message(error), reported_hint or hint)


def _error_kind(error: psycopg.Error) -> tuple[type[LineageError], str | None]:
    state = error.sqlstate or ""
    for length in (5, 3, 2):
        if kind := STATES.get(state[:length]):
            return kind
    if isinstance(error, psycopg.OperationalError) and not state:
        # no answer of a server, but the end of a connection to one
        return DatabaseUnavailable, "Check that the server runs: lineage doctor"
    return DatabaseError, None


def _error_message(error: psycopg.Error) -> str:
    """What the server said, or where it said nothing, the first line of what libpq said."""
    message = error.diag.message_primary or next(iter(str(error).splitlines()), "")
    message = message or type(error).__name__
    place = f" ({error.sqlstate})" if error.sqlstate else ""
    return f"The database says: {message.rstrip('.')}{place}."
