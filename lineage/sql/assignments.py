"""The assignments of SET: one column, or several from a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.names import table_name
from lineage.sql.scopes import Unreadable
from lineage.sql.targets import items_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineage.sql.records import Name


def assignments_of(tree: exp.Update, target: Name, dialect: str) -> list[exp.Expr]:
    """Return the assignments to the columns of a table; an UPDATE of a join may change several."""
    items = list(items_of(tree.this))
    qualifiers = {getattr(each.this, "table", "").lower() for each in tree.expressions}
    if len(items) == 1 or len(qualifiers) == 1:
        return list(tree.expressions)
    mine = {item.alias_or_name.lower() for item in items if table_name(item, dialect) == target}
    if "" in qualifiers or len(mine) != 1:
        raise Unreadable("the tables of the assigned columns are not known")
    return [each for each in tree.expressions if each.this.table.lower() in mine]


def list_assignments(expressions: Sequence[exp.Expr]) -> Iterator[tuple[str, exp.Expr]]:
    """Yield the column and the value of each assignment, also of ``(a, b) = …``."""
    for assignment in expressions:
        if not isinstance(assignment, exp.EQ):
            raise Unreadable("an assignment of the statement is not read for its columns")
        columns, value = assignment.this, assignment.expression
        values = [value]
        if isinstance(columns, exp.Tuple | exp.Paren):
            columns = columns.expressions or [columns.this]
            values = _row_values(value)
        else:
            columns = [columns]
        if len(columns) != len(values) or not all(isinstance(each, exp.Column) for each in columns):
            raise Unreadable("an assignment of the statement is not read for its columns")
        yield from ((column.name, each) for column, each in zip(columns, values, strict=True))


def add_table(value: exp.Expr, table: str) -> exp.Expr:
    """Return a value whose columns without a table, outside of queries in it, are of ``table``."""

    def complete_column(node: exp.Expr) -> exp.Expr:
        is_open = isinstance(node, exp.Column) and not node.table
        if is_open and node.find_ancestor(exp.Select) is None:
            node.set("table", exp.to_identifier(table))
        return node

    return value.copy().transform(complete_column, copy=False)


def _row_values(value: exp.Expr) -> list[exp.Expr]:
    """Return the values of a row: of a list, or one query for each column of a query."""
    if isinstance(value, exp.Subquery) and isinstance(value.this, exp.Select):
        select = value.this
        if select.is_star or select.args.get("distinct"):
            return []
        single: list[exp.Expr] = []
        for item in select.expressions:
            query = value.copy()
            query.this.set("expressions", [item.copy()])
            single.append(query)
        return single
    if isinstance(value, exp.Anonymous) and value.name.upper() == "ROW":
        return list(value.expressions)
    return list(value.expressions) if isinstance(value, exp.Tuple) else [value.unnest()]
