"""Parameters of a text, whose values the client sends: ``?``, ``%s``, ``%(name)s``, ``:1``, ``$1``.

Names of tables have other placeholders: see ``lineage.sql.placeholders``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lineage.sql.dialects import traits_of
from lineage.sql.lexer import token_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Parameters of drivers of Python that sqlglot does not parse.
_OF_DRIVERS = r"%(?:\([^()]*\))?[sbt]\b|(?<![\w:\])']):\d+\b"
# ``::`` is a cast, and ``a:b`` a slice or a path. ``@@`` is a variable of the server.
_OTHERS = r"\?\d*|\$\d+\b|(?<![\w:\])']):[A-Za-z_]\w*"
_NAMED = {"bigquery": r"|(?<![\w@])@[A-Za-z_]\w*", "sqlite": r"|[@$][A-Za-z_]\w*"}
_TEXT = frozenset({"string", "tag", "quoted"})
_AFTER_DOLLAR = re.compile(r"(?<![\w$])\$\w+")
_NUMBERED_MARK = re.compile(r"\?\d+")


class Parameters(NamedTuple):
    """A text in which each parameter is one that sqlglot parses.

    ``are_written``: whether one is a value, and not only in a condition of a whole statement.
    """

    text: str
    are_written: bool


def read_parameters(text: str, dialect: str) -> Parameters:
    """Find the parameters of a text, outside of its strings, quoted names and comments."""
    pattern = re.compile(f"{_OF_DRIVERS}|{_OTHERS}{_NAMED.get(dialect, '')}")
    if not pattern.search(text):
        return Parameters(text, are_written=False)
    protected = _mask_text(text, dialect)
    matches = list(pattern.finditer(protected))
    spans = list(_condition_spans(protected))
    are_written = any(
        not any(start < match.start() < end for start, end in spans) for match in matches
    )
    parts, end = [], 0
    for match in matches:
        is_format = match[0][0] == "%" and not traits_of(dialect).has_format_parameters
        if is_format or re.fullmatch(r":\d+", match[0]):
            parts += [text[end : match.start()], "?"]
            end = match.end()
    return Parameters("".join([*parts, text[end:]]), are_written)


def separate_parameters(text: str, dialect: str | None) -> str:
    """Return a text that sqlglot parses: with ``$1 ,$2`` for ``$1,$2``, and ``?`` for ``?1``."""
    if dialect and traits_of(dialect).has_dollar_parameters and "$" in text:
        ends = (match.end() for match in _AFTER_DOLLAR.finditer(_mask_text(text, dialect)))
        text = _join_at(text, [(end, end) for end in ends], " ")
    if dialect and traits_of(dialect).has_numbered_marks and "?" in text:
        matches = _NUMBERED_MARK.finditer(_mask_text(text, dialect))
        text = _join_at(text, [match.span() for match in matches], "?")
    return text


def _join_at(text: str, spans: Iterable[tuple[int, int]], replacement: str) -> str:
    """Return a text with a replacement for each span."""
    parts, start = [], 0
    for begin, end in spans:
        parts += [text[start:begin], replacement]
        start = end
    return "".join([*parts, text[start:]])


def _mask_text(text: str, dialect: str) -> str:
    """Return a text of the same length without the content of strings, names and comments."""

    def mask_match(match: re.Match[str]) -> str:
        if match.lastgroup == "comment":
            return " " * len(match[0])
        return "'" * len(match[0]) if match.lastgroup in _TEXT else match[0]

    return token_pattern(dialect).sub(mask_match, text)


def _condition_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each WHERE that is in no parentheses."""
    depth, start = 0, -1
    for match in re.finditer(r"[();]|\bWHERE\b", text, re.IGNORECASE):
        if match[0] in "()":
            depth += 1 if match[0] == "(" else -1
        elif match[0] == ";":
            if start >= 0:
                yield start, match.start()
            depth, start = 0, -1
        elif depth == 0 and start < 0:
            start = match.start()
    if start >= 0:
        yield start, len(text)
