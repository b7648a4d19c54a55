"""Raw Cypher in a session, which is closed after an error."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from lineage.database.errors import translate_errors
from lineage.query.archive import read_archive
from lineage.query.cypher import execution
from lineage.query.cypher.lexer import returned_columns, tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import psycopg

    from lineage.query.archive import RunArchive
    from lineage.query.cypher.execution import Rows, Table
    from lineage.query.cypher.row_window import Window
    from lineage.query.session import Session

# The label of runs and the types of their edges.
_OF_RUNS = frozenset({"Run", "INPUT_TO", "OUTPUTS", "EXECUTES", "PARENT"})


def find_archive_of_query(session: Session, text: str) -> RunArchive | None:
    """Return the archive of runs if a Cypher query names runs or their edges."""
    words = {token.text.strip("`") for token in tokenize(text) if token.kind == "word"}
    return read_archive(session) if words & _OF_RUNS else None


def read_table(
    session: Session, text: str, params: Mapping[str, Any], timeout: float, window: Window
) -> Table:
    """Run a Cypher query and return its rows in ``window``. Raises QueryError."""
    with _connection_of(session) as conn:
        return execution.run_query(conn, text, params, timeout, window)


@contextlib.contextmanager
def open_rows(
    session: Session, text: str, params: Mapping[str, Any], timeout: float, window: Window
) -> Iterator[Rows]:
    """Yield the rows of a Cypher query, fetched as they are iterated.

    Raises QueryError, also in the iteration.
    """
    with _connection_of(session) as conn:
        texts = execution.stream_rows(conn, text, params, timeout, window)
        with contextlib.closing(texts):
            yield execution.Rows(returned_columns(text), texts, window)


@contextlib.contextmanager
def _connection_of(session: Session) -> Iterator[psycopg.Connection[Any]]:
    """Yield the connection. After an error close the session, as ``run_query`` requires."""
    try:
        with translate_errors():
            yield session.connection
    except Exception:
        session.close()
        raise
