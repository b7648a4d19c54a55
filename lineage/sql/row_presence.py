"""Whether a query has a row in any case, so that it assigns its variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.dialects import traits_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.sql.lexer import Token

_AGGREGATES = frozenset(
    {"COUNT", "COUNT_BIG", "SUM", "MIN", "MAX", "AVG", "STRING_AGG", "GROUP_CONCAT", "STDEV", "VAR"}
    | {"STDEVP", "VARP", "STD", "STDDEV", "VARIANCE", "BIT_AND", "BIT_OR", "BIT_XOR", "ANY_VALUE"}
    | {"CHECKSUM_AGG", "APPROX_COUNT_DISTINCT", "JSON_ARRAYAGG", "JSON_OBJECTAGG"}
)
_OUTER = frozenset({"LEFT", "RIGHT", "FULL", "OUTER"})


def may_keep_values(tokens: Sequence[Token], dialect: str) -> bool:
    """Return whether a query may have no row, so that its variables keep their values.

    A query of aggregates without groups has a row, and a whole table is taken to have rows.
    """
    if not traits_of(dialect).retains_variables:
        return False
    words = [token.text.upper() for token in tokens]
    depth = inner = 0  # inner: the depth of a query in parentheses, or 0
    may_be_empty = has_aggregate = has_groups = False
    for place, word in enumerate(words):
        if word == "(":
            depth += 1
            if not inner and words[place + 1 : place + 2] in (["SELECT"], ["WITH"]):
                inner = depth
        elif word == ")":
            inner = 0 if inner == depth else inner
            depth -= 1
        elif depth == 0 and word in ("GROUP", "HAVING"):
            has_groups = True
            may_be_empty = may_be_empty or word == "HAVING"
        elif depth == 0 and word in ("WHERE", "JOIN"):
            is_outer = word == "JOIN" and words[place - 1] in _OUTER
            may_be_empty = may_be_empty or not is_outer
        elif word in _AGGREGATES and not inner and words[place + 1 : place + 2] == ["("]:
            has_aggregate = has_aggregate or not _is_window(words, place + 1)
    return may_be_empty and (has_groups or not has_aggregate)


def _is_window(words: Sequence[str], opening: int) -> bool:
    """Return whether OVER follows the parentheses of a function."""
    depth = 0
    for place in range(opening, len(words)):
        depth += (words[place] == "(") - (words[place] == ")")
        if not depth:
            return words[place + 1 : place + 2] == ["OVER"]
    return False
