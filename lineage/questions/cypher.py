"""Raw Cypher: what its columns are, how it is run with few rights, where it is wrong."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import psycopg

from lineage.errors import QueryError
from lineage.questions import agtype
from lineage.questions.answers import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LIMITS = """
SELECT set_config('transaction_read_only', 'on', true), set_config('statement_timeout', %s, true)
"""
_RUN = "SELECT answer::text FROM lineage.read_cypher(%s, %s, %s) AS answer"

# What a clause is looked for in: strings, names in backticks and comments are passed over whole.
_TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|\s+)"""
    r"""|(?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`)"""
    r"""|(?P<word>[A-Za-z_]\w*)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<comma>,)|(?P<other>.)""",
    re.DOTALL,
)
_ENDS = {"UNION", "ORDER", "SKIP", "LIMIT"}


def run(
    conn: psycopg.Connection[Any], text: str, params: Mapping[str, Any], timeout: float
) -> Table:
    """Run ``text`` in a read-only transaction with the rights of lineage_cypher.

    ``timeout`` is in seconds. Raises QueryError. After an error the connection has to be closed:
    AGE may keep a half-loaded cache of the graph in it.
    """
    names = columns(text)
    keys = [f"c{i}" for i in range(len(names))]
    try:
        with conn.transaction(force_rollback=True):
            conn.execute(_LIMITS, (f"{max(1, round(timeout * 1000))}ms",))
            rows = conn.execute(_RUN, (text, json.dumps(dict(params)), keys)).fetchall()
            # Locks of the session would outlive the query that took them.
            conn.execute("SELECT pg_advisory_unlock_all()")
    except psycopg.errors.QueryCanceled as error:
        raise QueryError(
            f"The query took longer than {timeout:g} s and was stopped.",
            "Bound its patterns and start it from a dataset that is named.",
        ) from error
    except psycopg.Error as error:
        if error.sqlstate is None:
            raise
        raise _refused(text, error) from error
    maps = [agtype.loads(row) for (row,) in rows]
    return Table(names, tuple(tuple(row[key] for key in keys) for row in maps))


def columns(text: str) -> tuple[str, ...]:
    """Return the names of the columns that ``text`` returns. Raises QueryError for none."""
    found: list[str] | None = None
    for item in _returned(text):
        found = [*(found or []), item]
    if not found or not all(found):
        raise QueryError(
            "The query returns nothing.", "End it with RETURN and what you want to see of each row."
        )
    if "*" in found:
        raise QueryError("RETURN * does not say how many columns there are.", "Name each of them.")
    return tuple(found)


def _returned(text: str) -> Iterator[str]:
    """Yield the name of each item of the last RETURN at the top level before any UNION."""
    items: list[list[tuple[str, str]]] | None = None
    depth = 0
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup or "", match.group()
        depth += (kind == "open") - (kind == "close")
        word = token.upper() if kind == "word" and depth == 0 else ""
        if word == "RETURN":
            items = [[]]
        elif items is None or (kind == "skip" and not items[-1]):
            continue
        elif word in _ENDS or token == ";":
            break
        elif kind == "comma" and depth == 0:
            items.append([])
        elif not (word == "DISTINCT" and items == [[]]):
            items[-1].append((kind, token))
    for item in items or []:
        yield _name(item)


def _name(item: list[tuple[str, str]]) -> str:
    words = [(kind, token) for kind, token in item if kind != "skip"]
    if len(words) > 2 and words[-2][1].upper() == "AS":
        return words[-1][1].strip("`")
    return " ".join("".join(" " if kind == "skip" else token for kind, token in item).split())


def _refused(text: str, error: psycopg.Error) -> QueryError:
    said = (error.diag.message_primary or "It was refused").rstrip(".")
    return QueryError(f"{said[0].upper()}{said[1:]}{_place(text, error)}.", _hint(text, error))


def _place(text: str, error: psycopg.Error) -> str:
    generated, position = error.diag.internal_query, error.diag.internal_position
    if not generated or not position:
        return ""
    at = int(position) - 1 - generated.find(text)
    if not 0 <= at <= len(text):
        return ""
    before = text[:at]
    return f", line {before.count(chr(10)) + 1} column {at - before.rfind(chr(10))}"


def _hint(text: str, error: psycopg.Error) -> str | None:
    if error.sqlstate == "42501" or error.sqlstate == "25006":
        return "Raw Cypher may read the graph and nothing else."
    if error.sqlstate == "42601" and re.search(r"\[\w*\s*:\s*\w+\s*\|", text):
        return "AGE knows no [:A|B]: write -[e]- and filter with WHERE type(e) IN ['A', 'B']."
    return error.diag.message_hint
