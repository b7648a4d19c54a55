"""Recursive CTEs: which reference themselves, and the sources of their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.columns import algebra
from lineage.sql.scopes import Source, Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable

# The kinds of dependencies are few, so that their sets are complete after a few rounds.
_MAX_ROUNDS = 50


def mark_recursion(tree: exp.Expr) -> None:
    """Mark the WITH clauses of a dialect without the keyword whose CTEs reference themselves."""
    for clause in tree.find_all(exp.With):
        if any(is_recursive(definition) for definition in clause.expressions):
            clause.set("recursive", True)


def is_recursive(definition: exp.CTE) -> bool:
    """Return whether the second member of a UNION references the CTE, and the first does not."""
    query = definition.this
    if not isinstance(query, exp.SetOperation):
        return False
    return _names_cte(query.right, definition.alias) and not _names_cte(
        query.left, definition.alias
    )


def _names_cte(query: exp.Expr, name: str) -> bool:
    return any(
        not table.db and table.name.casefold() == name.casefold()
        for table in query.find_all(exp.Table)
    )


def read_recursive(
    definition: exp.CTE, read_member: Callable[[exp.Expr, Source | None], Source]
) -> Source:
    """Return the columns of a recursive CTE: those of both members, until they no longer change.

    ``read_member`` reads a query in which the CTE has the columns so far. Raises Unreadable if they
    do not become complete.
    """
    union = definition.this
    rows = read_member(union.left, None)
    for _ in range(_MAX_ROUNDS):
        more = read_member(union, rows)
        merged = _merge_sources(rows, more)
        if merged == rows:
            return rows
        rows = merged
    raise Unreadable("the columns of a recursive query are not complete")


def _merge_sources(rows: Source, more: Source) -> Source:
    if rows.table or more.table or len(rows.columns) != len(more.columns):
        raise Unreadable("the columns of a recursive query cannot be matched by position")
    pairs = zip(rows.columns, more.columns, strict=True)
    columns = tuple((name, algebra.merge_deps([one, two])) for (name, one), (_, two) in pairs)
    return Source(columns, None, algebra.merge_deps([rows.wide, more.wide]))
