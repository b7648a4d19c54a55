"""Run raw Cypher with minimal rights and bounded resources, and locate its errors."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psycopg

from lineage.database.statements import StatementFile
from lineage.errors import QueryError, UsageError
from lineage.query.cypher import agtype
from lineage.query.cypher.lexer import (
    parameter_names,
    returned_columns,
    single_statement,
    syntax_error,
)
from lineage.query.cypher.rewrite import rewrite_query
from lineage.query.display import Grid
from lineage.suggestions import suggest_name

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from lineage.query.cypher.rewrite import Part, Plan
    from lineage.query.cypher.row_window import Window

# Maximum number of characters; lineage.check_cypher has the same limit.
MAX_QUERY_CHARACTERS = 100_000

# One snapshot for all statements of a query.
_READ_ONLY = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
_TIME = "SELECT set_config('statement_timeout', %s, true)"
_PROBLEMS = """
SELECT t.i, p.at, p.message, p.hint
FROM unnest(%s::text[]) WITH ORDINALITY AS t (query, i), lineage.check_cypher(t.query) AS p
ORDER BY t.i LIMIT 1
"""
_CURSOR = "lineage_rows"
_MOVE = f"MOVE FORWARD ALL IN {_CURSOR}"
# Rows of the first fetch, because each may be large. Later fetches are of about a megabyte.
_AT_ONCE = 20
_MAX_BATCH_ROWS = 1000
_PIECE = 1 << 20

_SQL = StatementFile(__file__)
_RUN_CYPHER = _SQL.statement("run_cypher", str)
_RUN_OVER = _SQL.statement("run_cypher_over", str)


@dataclass(frozen=True, slots=True, repr=False)
class Table(Grid):
    """The result of a Cypher query: values as in JSON; a vertex or an edge is a dict."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    # The rows as agtype text from the server, with the types of entities.
    texts: tuple[str, ...] = field(default=(), repr=False, compare=False)
    # Number of rows that the limit omitted.
    omitted: int = 0
    # Number of rows before the offset.
    before: int = field(default=0, repr=False, compare=False)

    def to_age(self) -> list[tuple[Any, ...]]:
        """Return the rows with Vertex, Edge and Path objects of the package apache-age-python.

        Raises UsageError if the package is not installed.
        """
        from lineage.query.cypher.age_objects import to_age

        return list(to_age(self.texts, [f"c{i}" for i in range(len(self.columns))]))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return each row as a dict by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class Rows:
    """The rows of a result, fetched while they are iterated. They can be iterated once."""

    def __init__(self, columns: tuple[str, ...], texts: Iterator[str], window: Window) -> None:
        """``texts`` are the rows as agtype text from the server."""
        self.columns = columns
        self._texts = texts
        self._window = window

    @property
    def omitted(self) -> int:
        """Number of rows that the limit omitted, after all others have been read."""
        return self._window.omitted

    def iter_batches(self, rows: int, size: int) -> Iterator[list[dict[str, Any]]]:
        """Yield lists of at most ``rows`` rows, each list of about ``size`` characters at most."""
        batch: list[dict[str, Any]] = []
        length = 0
        for text in self._texts:
            if batch and (len(batch) >= rows or length + len(text) > size):
                yield batch
                batch, length = [], 0
            row = agtype.parse_agtype(text)
            batch.append({name: row[f"c{i}"] for i, name in enumerate(self.columns)})
            length += len(text)
        if batch:
            yield batch


def run_query(
    conn: psycopg.Connection[Any],
    text: str,
    params: Mapping[str, Any],
    timeout: float,
    window: Window,
) -> Table:
    """Run ``text`` in a read-only transaction with the rights of lineage_cypher.

    Only the rows in ``window`` are held in memory; later ones are counted. ``timeout`` is in
    seconds. Raises QueryError. After an error the connection must be closed, because it may have an
    incomplete copy of the graph in AGE's cache.
    """
    texts = tuple(stream_rows(conn, text, params, timeout, window))
    names = returned_columns(text)
    keys = [f"c{i}" for i in range(len(names))]
    maps = [agtype.parse_agtype(row) for row in texts]
    rows = tuple(tuple(row[key] for key in keys) for row in maps)
    return Table(names, rows, texts, window.omitted, window.before)


def stream_rows(
    conn: psycopg.Connection[Any],
    text: str,
    params: Mapping[str, Any],
    timeout: float,
    window: Window,
) -> Generator[str, None, None]:
    """Run a query as ``run_query`` does, and yield the rows in ``window`` as agtype text.

    ``timeout`` applies to each fetch. The time that the consumer of the rows takes does not count.
    """
    _check_text(text)
    text = single_statement(text)
    values, used = _parameters_json(params), parameter_names(text)
    plan = rewrite_query(text)
    keys = [f"c{i}" for i in range(len(returned_columns(text)))]
    if plan.distinct:
        window.digests = set()
    try:
        with conn.transaction(force_rollback=True):
            conn.execute(_READ_ONLY)
            conn.execute(_TIME, (f"{max(1, round(timeout * 1000))}ms",))
            _look_through(conn, text, plan)
            _refuse_unknown(used, params)
            for part in plan.parts:
                yield from _fetch_part(conn, part, {"keys": keys, "params": values}, window)
            _refuse_missing(used, params)  # a syntax error is reported first
            # Locks of the session would outlive the query that took them.
            conn.execute("SELECT pg_advisory_unlock_all()")
    except psycopg.errors.QueryCanceled as error:
        raise QueryError(
            f"The query took longer than {timeout:g} s and was stopped.",
            "Limit its patterns, and begin with a named dataset.",
        ) from error
    except psycopg.Error as error:
        if error.sqlstate is None:
            raise
        raise _query_error(text, plan, error) from error


def _look_through(conn: psycopg.Connection[Any], text: str, plan: Plan) -> None:
    """Raise QueryError for the first part that raw Cypher may not contain."""
    queries = plan.all_queries
    problems = conn.execute(_PROBLEMS, ([query.query for query in queries],)).fetchall()
    for i, at, message, hint in problems:
        raise syntax_error(text, queries[i - 1].original_position(at - 1), message, hint)


def _fetch_part(
    conn: psycopg.Connection[Any], part: Part, params: dict[str, Any], window: Window
) -> Iterator[str]:
    """Yield the rows of a part in ``window``, by a server-side cursor if it has a limit."""
    values = params | {"matches": [m.query for m in part.matches]}
    statement = _RUN_CYPHER
    if part.rest is not None:
        carried = list(part.carried)
        values |= {"rest": part.rest.query, "carried": carried, "rows": part.rows}
        statement = _RUN_OVER
    if window.limit is None:  # one round trip
        for row in statement.fetch(conn, **values):
            if window.take_row(row):
                yield row
        return
    with conn.cursor(name=_CURSOR, row_factory=statement.row_factory) as cursor:
        cursor.execute(statement.text, values)
        number = _AT_ONCE
        while window.remaining_rows or window.digests is not None:
            rows = cursor.fetchmany(min(number, window.remaining_rows or number))
            if not rows:
                return
            for row in rows:
                if window.take_row(row):
                    yield row
            number = max(1, min(_MAX_BATCH_ROWS, _PIECE // max(map(len, rows))))
        moved = conn.execute(_MOVE).statusmessage or ""
        window.omitted += int(moved.removeprefix("MOVE ") or 0)


def _check_text(text: str) -> None:
    """Raise QueryError for a text that PostgreSQL does not accept."""
    if len(text) > MAX_QUERY_CHARACTERS:
        raise QueryError(
            f"The query has {len(text):,} characters; the maximum is {MAX_QUERY_CHARACTERS:,}.",
            "Pass long lists as a parameter.",
        )
    for at, character in enumerate(text):
        if character == "\0" or "\ud800" <= character <= "\udfff":
            raise syntax_error(text, at, "Invalid character", "Write the query in UTF-8.")


def _refuse_unknown(used: tuple[str, ...], params: Mapping[str, Any]) -> None:
    """Raise UsageError for a parameter that the query does not use."""
    for name in params:
        if name not in used:
            raise UsageError(f"The query has no parameter ${name}.", suggest_name(name, used))


def _refuse_missing(used: tuple[str, ...], params: Mapping[str, Any]) -> None:
    """Raise UsageError for a parameter without a value. AGE would use null for it."""
    if missing := [name for name in used if name not in params]:
        raise UsageError(
            f"The parameter ${missing[0]} of the query has no value.",
            f"Set it with -p {missing[0]}=VALUE, or in params.",
        )


def _parameters_json(params: Mapping[str, Any]) -> str:
    for name, value in params.items():
        try:
            json.dumps({name: value}, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise QueryError(f"The value of parameter {name!a} is not valid Unicode.") from error
    return json.dumps(dict(params))


def _query_error(text: str, plan: Plan, error: psycopg.Error) -> QueryError:
    message = (error.diag.message_primary or "The server rejected the query").rstrip(".")
    at = _error_position(plan, error)
    if at is not None:
        return syntax_error(text, at, message, _error_hint(error))
    return QueryError(f"{message[0].upper()}{message[1:]}.", _error_hint(error))


def _error_position(plan: Plan, error: psycopg.Error) -> int | None:
    """Return the position of the error in the query of the user, or None if it is unknown."""
    generated, position = error.diag.internal_query, error.diag.internal_position
    if not generated or not position:
        return None
    at = int(position) - 1
    for query in plan.all_queries:
        start = generated.find(query.query)
        while 0 <= start <= at:
            if at <= start + len(query.query):
                return query.original_position(at - start)
            start = generated.find(query.query, start + 1)
    return None


def _error_hint(error: psycopg.Error) -> str | None:
    if error.sqlstate == "42501" or error.sqlstate == "25006":
        return "Raw Cypher may read the graph and nothing else."
    return error.diag.message_hint
