"""ON CONFLICT DO UPDATE and ON DUPLICATE KEY UPDATE: rows of the table beside those rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.assignments import add_table, list_assignments
from lineage.sql.scopes import Unreadable, clause_of
from lineage.sql.targets import written_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_EXCLUDED = "excluded"


def select_conflict(
    insert: exp.Insert, query: exp.Query, names: Sequence[str], columns: Sequence[str]
) -> tuple[exp.Select, list[tuple[str, exp.Expr]]]:
    """Return the rows that a conflict updates or rejects, without columns, and its assignments.

    ``names`` are the columns of the rows of ``query``, which are the source ``excluded``.
    ``columns`` are those of the table that is written. Values of ON DUPLICATE KEY UPDATE may also
    be of the items of FROM. Raises Unreadable if a column may be of several tables.
    """
    conflict = insert.args["conflict"]
    target = written_table(insert.this)
    own = target.alias_or_name
    is_duplicate = bool(conflict.args.get("duplicate"))
    assignments = list(list_assignments(conflict.expressions))
    if is_duplicate:
        for _, value in assignments:
            _refuse_unknown(value, columns)
    pairs: list[tuple[str, exp.Expr]] = [
        (name, exp.paren(_complete_columns(value, own, names))) for name, value in assignments
    ]
    alias = exp.TableAlias(
        this=exp.to_identifier(_EXCLUDED), columns=[exp.to_identifier(name) for name in names]
    )
    select = exp.select().from_(target.copy())
    matches = list(_match_keys(conflict, own, names))
    condition = exp.and_(*matches) if matches else None
    join = exp.Join(this=exp.Subquery(this=query.copy(), alias=alias), on=condition)
    select.set("joins", [join])
    used = {column.table.casefold() for _, value in pairs for column in value.find_all(exp.Column)}
    if is_duplicate and used - {own.casefold(), _EXCLUDED}:
        _add_items(select, query)
    if where := conflict.args.get("where"):
        select.set("where", _complete_columns(where, own, names))
    return select, pairs


def _match_keys(conflict: exp.Expr, own: str, names: Sequence[str]) -> Iterator[exp.Expr]:
    """Yield the equality of each key that ON CONFLICT lists, by which a row is rejected.

    A key that the statement does not insert has its default.
    """
    inserted = {name.casefold() for name in names}
    for key in conflict.args.get("conflict_keys") or ():
        column = key.this if isinstance(key, exp.Ordered) else key
        if isinstance(column, exp.Column) and column.name.casefold() in inserted:
            own_key, new_key = (exp.column(column.this.copy(), of) for of in (own, _EXCLUDED))
            yield exp.EQ(this=own_key, expression=new_key)


def _refuse_unknown(value: exp.Expr, columns: Sequence[str]) -> None:
    """Raise Unreadable for a column without a table that is not one of the table written."""
    known = {name.casefold() for name in columns}
    for column in value.find_all(exp.Column):
        if not column.table and column.name.casefold() not in known:
            raise Unreadable(f"the column {column.name} may be that of the query")


def _add_items(select: exp.Select, query: exp.Query) -> None:
    """Add the items of FROM of the query that is inserted."""
    clause = clause_of(query, "from")
    if clause is not None:
        select.append("joins", exp.Join(this=clause.this.copy()))
        for join in query.args.get("joins") or ():
            select.append("joins", join.copy())


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
        return node

    inserted = {name.casefold() for name in names}
    return add_table(value.copy().transform(complete_column, copy=False), target)
