"""Placeholders in names of tables: ``$(sqlcmd)``, ``${Spark}``, ``{{ Jinja }}``, ``&{SnowSQL}``."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from lineage.sql.dialects import TSQL, traits_of
from lineage.sql.lexer import token_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_STARTS = ("${", "$(", "{{", "&{")
_PLACEHOLDER = re.compile(r"[$&][({]|\{\{|\}\}")
# Substitution variables of SQL*Plus, which a point ends; "?" stands for a number in a shape.
_VARIABLE = re.compile(r"&&?([\w?]+)\.?")
_NUMBERED = re.compile(r"(?<![\w:]):(?:\d+|\?)")
_BINDS = re.compile(rf"(?P<name>[\w#$]*(?:{_VARIABLE.pattern}[\w#$]*)+)|{_NUMBERED.pattern}")
_BEFORE_NAME = re.compile(r"(?i)(?:\b(?:FROM|JOIN|INTO|UPDATE|TABLE|VIEW|USING)\s+|\.)\Z")
_PROTECTED = frozenset({"string", "quoted", "comment"})


def has_placeholder(name: Iterable[str]) -> bool:
    """Return whether a part of a name is a placeholder, or contains one."""
    return any(map(_PLACEHOLDER.search, name))


def quote_placeholders(text: str, dialect: str) -> str:
    """Return a statement in which a word with a placeholder is one quoted name."""
    if not any(start in text for start in _STARTS):
        return text
    protected = list(protected_spans(text, dialect))
    has_backticks = traits_of(dialect).has_double_quoted_strings
    opening, closing = "[]" if dialect in TSQL else "``" if has_backticks else '""'

    def quote(match: re.Match[str]) -> str:
        if any(start <= match.start() < end for start, end in protected):
            return match[0]
        return f"{opening}{match[0].translate({ord(opening): None, ord(closing): None})}{closing}"

    return _words_pattern(dialect).sub(quote, text)


def replace_binds(text: str, dialect: str) -> str:
    """Return a statement of Oracle without ``&x`` of SQL*Plus, and ``:1``.

    A part of a name becomes ``&{x}``, and a value ``:bind``, which sqlglot parses.
    """
    if dialect != "oracle" or not ("&" in text or _NUMBERED.search(text)):
        return text
    protected = list(protected_spans(text, dialect))

    def replace_word(match: re.Match[str]) -> str:
        if any(start <= match.start() < end for start, end in protected):
            return match[0]
        is_name = match["name"] and (
            _BEFORE_NAME.search(text[max(0, match.start() - 40) : match.start()])
            or text[match.end() : match.end() + 1] == "."
            or not _VARIABLE.fullmatch(match[0])
        )
        return _VARIABLE.sub(r"&{\1}", match[0]) if is_name else ":bind"

    return _BINDS.sub(replace_word, text)


def protected_spans(text: str, dialect: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each string, quoted name and comment."""
    for token in token_pattern(dialect).finditer(text):
        if token.lastgroup in _PROTECTED:
            yield token.span()


@cache
def _words_pattern(dialect: str) -> re.Pattern[str]:
    kinds = [r"\$\{[^{}]*\}", r"\{\{.*?\}\}", r"&\{[^{}]*\}"]
    if dialect in TSQL:
        kinds.append(r"\$\(\w+\)")
    return re.compile(rf"[\w#@]*(?:(?:{'|'.join(kinds)})[\w#@]*)+", re.DOTALL)
