"""ON CONFLICT DO UPDATE and ON DUPLICATE KEY UPDATE: rows of the table beside those rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.assignments import list_assignments

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXCLUDED = "excluded"


def select_conflict(
    insert: exp.Insert, query: exp.Query, names: Sequence[str]
) -> tuple[exp.Select, list[tuple[str, exp.Expr]]]:
    """Return the rows that a conflict updates, without columns, and its assignments.

    ``names`` are the columns of the rows of ``query``, which are the source ``excluded``.
    """
    conflict = insert.args["conflict"]
    target = insert.this.this if isinstance(insert.this, exp.Schema) else insert.this
    alias = exp.TableAlias(
        this=exp.to_identifier(_EXCLUDED), columns=[exp.to_identifier(name) for name in names]
    )
    select = exp.select().from_(target.copy())
    select.set("joins", [exp.Join(this=exp.Subquery(this=query.copy(), alias=alias))])
    own = target.alias_or_name
    if where := conflict.args.get("where"):
        select.set("where", _complete_columns(where, own, names))
    pairs: list[tuple[str, exp.Expr]] = [
        (name, exp.paren(_complete_columns(value, own, names)))
        for name, value in list_assignments(conflict.expressions)
    ]
    return select, pairs


def _complete_columns(value: exp.Expr, target: str, names: Sequence[str]) -> exp.Expr:
    """Return a value whose columns have a table: MySQL's ``VALUES(c)`` is ``excluded.c``.

    A column of ``excluded`` that the statement does not insert has its default.
    """

    def complete_column(node: exp.Expr) -> exp.Expr:
        is_values = isinstance(node, exp.Anonymous) and node.name.upper() == "VALUES"
        if is_values and len(node.expressions) == 1:
            node = exp.column(node.expressions[0].name, _EXCLUDED)
        if not isinstance(node, exp.Column):
            return node
        if node.table.casefold() == _EXCLUDED and node.name.casefold() not in inserted:
            return exp.Null()
        if not node.table and node.find_ancestor(exp.Select) is None:
            node.set("table", exp.to_identifier(target))
        return node

    inserted = {name.casefold() for name in names}
    return value.copy().transform(complete_column, copy=False)
