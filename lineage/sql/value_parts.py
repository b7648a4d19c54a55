"""The tables of one value of a statement that assigns several variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.cursor import Cursor
from lineage.sql.used_names import list_tables

if TYPE_CHECKING:
    from lineage.sql.draft import Sources


def values_of_part(part: str, text: str, reads: Sources, dialect: str) -> Sources:
    """Return which of the tables that a statement reads a value in it uses.

    A value with columns outside of its queries may use any of them.
    """
    if not part or not reads or not _has_names(part, dialect):
        return {}
    if not has_own_tables(text, dialect):
        tables = list_tables(part, dialect)
        return {name: None for name in reads if name[-1].lower() in tables}
    return dict(reads)


def has_own_tables(text: str, dialect: str) -> bool:
    """Return whether a statement has FROM outside of the queries of its values."""
    cursor = Cursor(text, dialect)
    if cursor.next_word in ("DECLARE", "SET") or not cursor.skip_to("FROM"):
        return False
    return [token.text.upper() for token in cursor.tokens[cursor.place + 1 :]] != ["DUAL"]


def _has_names(part: str, dialect: str) -> bool:
    """Return whether a value has a column or a query."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    from lineage.sql.trees import parse_tree

    try:
        tree = parse_tree("SELECT " + part, dialect)
    except (SqlglotError, RecursionError, ValueError):
        return True
    return tree.find(exp.Column, exp.Star, exp.Table) is not None
