"""Names of the columns of a query. Databases name a column without an alias by different rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.dialects import traits_of

if TYPE_CHECKING:
    from collections.abc import Sequence

# sqlglot generates such names where it expands a star.
_UNKNOWN = re.compile(r"_col_\d+")


def mark_unnamed(query: exp.Query, dialect: str) -> None:
    """Give each column whose name the database generates an alias that ``is_known_name`` knows."""
    select = query
    while isinstance(select, exp.SetOperation | exp.Subquery):
        select = select.this
    if not isinstance(select, exp.Select):
        return
    marked = [
        item if _has_name(item, dialect) else exp.alias_(item.copy(), f"_col_{place}")
        for place, item in enumerate(select.expressions)
    ]
    select.set("expressions", marked)


def _has_name(item: exp.Expr, dialect: str) -> bool:
    if isinstance(item, exp.Paren):
        return _has_name(item.this, dialect)
    if isinstance(item, exp.Cast):
        return traits_of(dialect).names_casts and _has_name(item.this, dialect)
    if isinstance(item, exp.Subquery):
        return traits_of(dialect).names_subqueries and bool(item.output_name)
    return item.is_star or isinstance(item, exp.Alias | exp.Aliases | exp.Column | exp.Dot)


def is_known_name(name: str) -> bool:
    """Return whether a column has a name that the text determines."""
    return bool(name) and not _UNKNOWN.fullmatch(name)


def complete_names(names: Sequence[str], stored: Sequence[str]) -> tuple[str, ...]:
    """Return names with those of a stored table in place of unknown ones, if the others agree."""
    is_same = len(stored) == len(names) and all(
        not is_known_name(name) or name.casefold() == known.casefold()
        for name, known in zip(names, stored, strict=True)
    )
    return tuple(stored) if is_same else tuple(names)
