"""Reduce SQL text to its shape: the text without its literals, except positions of columns."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from lineage.sql.lexer import token_pattern, tokenize_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineage.sql.lexer import Token

# A table has fewer columns than 10,000 everywhere; a longer number is no position.
_POSITION = re.compile(r"\d{1,4}")
# Texts without both of these, fast to search for, have no position.
_LISTS = re.compile(r"[GgOoDd](?i:(?:ROUP|RDER)\s+BY|ISTINCT\s+ON)\b")
_KEY = re.compile(r"[,(Yy]\s*\d{1,4}\s*(?:[,);A-Za-z]|\Z)")
# The beginning of a string or comment. It is a token by itself if it has no end.
_OPENING = re.compile(r"(?:[Nn]?[Qq])?'|\"|/\*|\$(?:[^\W\d]\w*)?\$")
_GROUPINGS = ("ROLLUP", "CUBE", "SETS")
# Words that end a list of keys.
_ENDINGS = frozenset(
    {"SELECT", "FROM", "WHERE", "HAVING", "QUALIFY", "WINDOW", "LIMIT", "OFFSET", "FETCH", "FOR"}
    | {"UNION", "EXCEPT", "INTERSECT", "MINUS", "OPTION", "ROWS", "RANGE", "GROUPS", "ON"}
    | {"RETURNING", "INSERT", "UPDATE", "DELETE", "MERGE", "SET", "VALUES", "INTO", "SORT"}
)


@cache
def _literal_pattern(dialect: str) -> re.Pattern[str]:
    """Return a pattern that skips text without literals, as fast as regular expressions allow."""
    pattern = token_pattern(dialect).pattern.partition("|(?P<space>")[0]
    return re.compile(pattern, re.DOTALL)


def shape_of(text: str, dialect: str) -> str:
    """Return the text with ``'?'`` for each string, ``?`` for each number, and no comments.

    Only the shape of a statement may be stored, because literals can be secrets. Statements of
    one shape have the same tables, unless a table is named in a literal. The positions of columns
    in GROUP BY, ORDER BY and DISTINCT ON remain: they are names of columns.
    """
    lists = _LISTS.search(text)
    if lists is not None and _KEY.search(text, lists.end() - 1):
        tokens = list(tokenize_text(text, dialect))
        positions = set(_find_positions([token for token in tokens if _is_significant(token)]))
        return "".join(
            token.text if token.start in positions else _REPLACEMENTS.get(token.kind, token.text)
            for token in tokens
        )
    return _literal_pattern(dialect).sub(_shape_match, text)


def cut_open_literal(shape: str, dialect: str) -> str:
    """Return a shape without the content of a literal that does not end, as in a cut text.

    Texts that differ in what follows it may be different statements: this is no key of them.
    """
    for token in tokenize_text(shape, dialect):
        if token.kind == "other" and _OPENING.match(shape, token.start):
            return f"{shape[: token.start]}'?'"
    return shape


# The replacement of a token of a kind.
_REPLACEMENTS = {"number": "?", "string": "'?'", "tag": "'?'", "comment": " "}


def _shape_match(match: re.Match[str]) -> str:
    return _REPLACEMENTS.get(match.lastgroup or "") or match[0]


def _is_significant(token: Token) -> bool:
    return token.kind not in ("space", "comment")


def _find_positions(tokens: Sequence[Token]) -> Iterator[int]:
    """Yield where the numbers begin that are the whole key of a list: ``GROUP BY 1, 2``."""
    is_list = [False]  # of each level of parentheses
    starts_key = False
    for place, token in enumerate(tokens):
        text = token.text.upper()
        before = tokens[place - 1].text.upper() if place else ""
        if text == "(":
            is_list.append(starts_key or _opens_list(tokens, place, is_list[-1]))
            starts_key = is_list[-1]
            continue
        if starts_key and _POSITION.fullmatch(text) and _ends_key(tokens, place + 1):
            yield token.start
        if text == ")" and len(is_list) > 1:
            is_list.pop()
        elif text == "BY" and before in ("GROUP", "ORDER"):
            is_list[-1] = True
        elif text in _ENDINGS or text == ";":
            is_list[-1] = False
        starts_key = text in (",", "BY") and is_list[-1]


def _opens_list(tokens: Sequence[Token], place: int, is_inside: bool) -> bool:
    """Return whether a parenthesis begins a list of keys: of ROLLUP (…) or DISTINCT ON (…)."""
    words = [token.text.upper() for token in tokens[max(0, place - 2) : place]]
    return words == ["DISTINCT", "ON"] or (is_inside and words[-1] in _GROUPINGS)


def _ends_key(tokens: Sequence[Token], place: int) -> bool:
    """Return whether no operator follows: the list goes on, ends, or a word is next."""
    if place >= len(tokens):
        return True
    return tokens[place].text in (",", ")", ";") or tokens[place].kind == "word"
