"""Canned queries: the files of ``cypher/`` with their names, parameters and columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from lineage.errors import NotFound, QueryError, UsageError
from lineage.suggestions import nearest_name, suggest_name

if TYPE_CHECKING:
    from collections.abc import Collection

_NAMES = re.compile(r"[a-z_][a-z0-9_]*(?:, [a-z_][a-z0-9_]*)*")
_USED = re.compile(r"\$([A-Za-z_]\w*)")
_COMMENT = re.compile(r"//[^\n]*")


@dataclass(frozen=True, slots=True)
class CannedQuery:
    """A canned query. ``name`` is the stem of the file name; ``text`` includes the header."""

    name: str
    summary: str
    params: tuple[str, ...]
    columns: tuple[str, ...]
    text: str
    path: str

    def check_parameters(self, names: Collection[str]) -> None:
        """Raise UsageError unless ``names`` are exactly the parameters of the query."""
        missing = [param for param in self.params if param not in names]
        unknown = sorted(set(names) - set(self.params))
        takes = " ".join(f"{param}=..." for param in self.params) or "no parameters"
        if unknown:
            near = nearest_name(unknown[0], self.params)
            suggestion = f"Did you mean {near}? " if near else ""
            raise UsageError(
                f"Query {self.name} has no parameter {', '.join(unknown)}.",
                f"{suggestion}It takes {takes}.",
            )
        if missing:
            message = f"Query {self.name} requires the parameter {', '.join(missing)}."
            raise UsageError(message, f"It takes {takes}.")


def canned_queries() -> tuple[CannedQuery, ...]:
    """Return all canned queries in order of name. Raises QueryError for an invalid header."""
    return tuple(_load_all().values())


def canned_query(name: str) -> CannedQuery:
    """Return the canned query ``name``. Raises NotFound."""
    known = _load_all()
    if name not in known:
        raise NotFound(f'No query is called "{name}".', suggest_name(name, known))
    return known[name]


@cache
def _load_all() -> dict[str, CannedQuery]:
    directory = resources.files("lineage.cypher")
    files = [file for file in directory.iterdir() if file.name.endswith(".cypher")]
    loaded = [parse_query_file(file.name, file.read_text("utf-8")) for file in files]
    return {query.name: query for query in sorted(loaded, key=lambda query: query.name)}


def parse_query_file(path: str, text: str) -> CannedQuery:
    """Return the query of one file.

    A file begins with three comment lines: a sentence, ``// params:  a, b`` (or ``none``) and
    ``// returns: c, d``. The Cypher follows. Raises QueryError with file and line.
    """
    lines = text.splitlines()
    summary = _read_header(path, lines, 1, r"// (\S.*\.)", "a sentence: // The rows of the query.")
    params = _read_names(
        _read_header(path, lines, 2, r"// params:  (.*)", "// params:  a, b (or none)")
    )
    columns = _read_names(_read_header(path, lines, 3, r"// returns: (.*)", "// returns: a, b"))
    if params is None or columns is None:
        line = 2 if params is None else 3
        raise QueryError(
            f"{path}:{line}: the names are not in lower case and separated by comma and space."
        )
    used = set(_USED.findall(_COMMENT.sub("", text)))
    if used != set(params):
        odd = ", ".join(sorted(used ^ set(params)))
        raise QueryError(f"{path}:2: declared and used parameters differ: {odd}.")
    if "$$" in text:
        line = next(i for i, content in enumerate(lines, 1) if "$$" in content)
        raise QueryError(f"{path}:{line}: $$ would end the dollar quotes around the query in psql.")
    return CannedQuery(path.removesuffix(".cypher"), summary, params, columns, text, path)


def _read_header(path: str, lines: list[str], number: int, pattern: str, form: str) -> str:
    match = re.fullmatch(pattern, lines[number - 1]) if len(lines) >= number else None
    if not match:
        raise QueryError(f"{path}:{number}: the header lacks {form}")
    return match[1]


def _read_names(text: str) -> tuple[str, ...] | None:
    if text == "none":
        return ()
    return tuple(text.split(", ")) if _NAMES.fullmatch(text) else None
