"""Variables of scripts that may have values of tables, whose assignments are not traced."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from lineage.sql.dialects import TSQL
from lineage.sql.lexer import tokenize_text

if TYPE_CHECKING:
    from lineage.sql.lexer import Token
    from lineage.sql.records import Statement

# Dialects and words of the assignments that `lineage.sql.variables` follows.
_TRACED_DIALECTS = TSQL | {"mysql", "bigquery"}
_TRACED_WORDS = frozenset({"DECLARE", "FETCH", "SELECT", "SET", "WITH"})
# Functions that return values that statements with a word have set, by names in literals.
_GETTERS = {"set_config": "current_setting", "variable": "getvariable"}


class UntracedVariables:
    """The variables of a session of a script."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._names: set[str] = set()

    def follow_statement(self, statement: Statement) -> bool:
        """Assign the variables of a statement; return whether it uses one with untraced values."""
        may_assign = statement.reads or statement.functions or statement.calls
        is_local = self._dialect in TSQL and "@" in statement.shape
        if not (self._names or may_assign or is_local):
            return False
        tokens = [
            token
            for token in tokenize_text(statement.shape, self._dialect)
            if token.kind not in ("space", "comment")
        ]
        words = {token.text.lower() for token in tokens if token.kind == "word"}
        uses = not words.isdisjoint(self._names)
        if statement.flows:
            assigned = set()
        elif uses or statement.functions or statement.calls or self._is_untraced(statement, tokens):
            assigned = _names_of(tokens)
            assigned |= {name for word, name in _GETTERS.items() if word in words}
        else:
            assigned = set()
        self._names |= assigned
        return uses

    def _is_untraced(self, statement: Statement, tokens: list[Token]) -> bool:
        is_traced = self._dialect in _TRACED_DIALECTS and tokens[0].text.upper() in _TRACED_WORDS
        return (bool(statement.reads) and not is_traced) or _has_function(tokens)


def _has_function(tokens: list[Token]) -> bool:
    """Return whether a statement calls ``schema.function(…)``."""
    texts = [token.text for token in tokens]
    return any(texts[place] == "." and texts[place + 2] == "(" for place in range(len(texts) - 2))


def _names_of(tokens: list[Token]) -> set[str]:
    """Return the variables in a statement: with a sign, or between SET and ``=``."""
    names = {
        token.text.lower()
        for before, token in pairwise(tokens)
        if token.kind == "word"
        and (before.text in (":", "$") or (token.text[0] == "@" and token.text[:2] != "@@"))
    }
    if tokens and tokens[0].text.upper() == "SET":
        texts = [token.text for token in tokens]
        end = texts.index("=") if "=" in texts else 0
        names |= {token.text.lower() for token in tokens[max(1, end - 1) : end]}
    return names
