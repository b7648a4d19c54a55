"""Remove secrets from names and texts by the rules of redaction.txt, as the listener does."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

MARK = "*********(redacted)"

_RULES = Path(__file__).with_name("redaction.txt")
_SHORT = 500
_FLAGS = re.IGNORECASE | re.ASCII


class Rules(NamedTuple):
    """The rules of ``redaction.txt``, compiled."""

    name: re.Pattern[str]
    gate: re.Pattern[str]
    text: tuple[re.Pattern[str], ...]
    set: re.Pattern[str]
    sql: re.Pattern[str]


def is_secret_name(name: str) -> bool:
    """Return whether the value of a setting, an option or a parameter of this name is a secret."""
    return bool(_load_rules().name.search(name))


def redact_text(text: str) -> str:
    """Replace passwords, tokens, keys and signatures in any text by ``MARK``."""
    return _redact_short(text) if len(text) < _SHORT else _redact_text(text)


def redact_sql(statement: str) -> str:
    """Replace the literals of a SQL statement by ``?`` and remove its comments.

    Quoted identifiers remain, but secrets of paths in them are replaced.
    """
    if match := _load_rules().set.fullmatch(statement):
        return redact_sql(match[1]) + "?"
    return _load_rules().sql.sub(_redact_token, statement)


def _redact_token(token: re.Match[str]) -> str:
    comment, literal, name = token.groups()
    if comment is not None:
        return ""
    return "?" if literal is not None else redact_text(name)


def _redact_text(text: str) -> str:
    rules = _load_rules()
    if not rules.gate.search(text):
        return text
    for rule in rules.text:
        text = rule.sub(_mark_match, text)
    return text


_redact_short = lru_cache(maxsize=4096)(_redact_text)


def _mark_match(match: re.Match[str]) -> str:
    before, *after = (*match.groups(), "")
    return f"{before}{MARK}{after[0] if after else ''}"


@cache
def _load_rules() -> Rules:
    lines = [line for line in _RULES.read_text().splitlines() if line and not line.startswith("#")]
    by_kind: dict[str, list[str]] = {}
    for line in lines:
        kind, _, expression = line.partition(" ")
        by_kind.setdefault(kind, []).append(expression)
    word, last = "|".join(by_kind["word"]), "|".join(by_kind["last"])
    blanks = {"{word}": word, "{last}": last, "{mark}": re.escape(MARK), "{end}": r"(?![\s\S])"}

    def compile_rule(expression: str) -> re.Pattern[str]:
        for blank, meaning in blanks.items():
            expression = expression.replace(blank, meaning)
        return re.compile(expression, _FLAGS)

    names = [r"{word}", r"(?:^|[._-])(?:{last})(?![\s\S])", *by_kind["name"]]
    return Rules(
        compile_rule("|".join(names)),
        compile_rule(by_kind["gate"][0]),
        tuple(map(compile_rule, by_kind["text"])),
        compile_rule(by_kind["set"][0]),
        compile_rule(by_kind["sql"][0]),
    )
