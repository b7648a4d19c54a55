"""Parse SQL by sqlglot, also texts with parameters whose form it does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlglot

from lineage.sql.parameters import separate_parameters

if TYPE_CHECKING:
    from sqlglot import exp


def parse_tree(text: str, dialect: str | None) -> exp.Expr:
    """Return the tree of one statement. Raises an error of sqlglot."""
    return sqlglot.parse_one(separate_parameters(text, dialect), dialect=dialect)


def parse_trees(text: str, dialect: str | None) -> list[exp.Expr]:
    """Return the trees of all statements of a text. Raises an error of sqlglot."""
    trees = sqlglot.parse(separate_parameters(text, dialect), dialect=dialect)
    return [tree for tree in trees if tree is not None]
