"""Pseudo columns: names that a database has for each row, and that are of no column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from collections.abc import Collection

_PSEUDO_COLUMNS = {
    "oracle": frozenset({"rownum", "rowid", "ora_rowscn"}),
    "postgres": frozenset({"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"}),
}
# In these dialects, no view has a column of such a name.
_RESERVED = frozenset({"oracle"})


def replace_pseudo_columns(query: exp.Query, dialect: str, columns: Collection[str] | None) -> None:
    """Replace pseudo columns by values without a source.

    ``columns`` are those of all tables, None if they are not known. A view may have a column of
    such a name, and so may a query in the statement.
    """
    if columns is None and dialect not in _RESERVED:
        return
    names = _PSEUDO_COLUMNS.get(dialect)
    used = [each for each in query.find_all(exp.Column) if names and each.name.lower() in names]
    if not used:
        return
    others = {name.lower() for name in columns or ()}
    others |= {each.alias.lower() for each in query.find_all(exp.Alias)}
    for alias in query.find_all(exp.TableAlias):
        others |= {each.name.lower() for each in alias.columns}
    for column in used:
        if column.name.lower() in others or column.this.args.get("quoted"):
            continue
        is_result = isinstance(column.parent, exp.Select) and column.arg_key == "expressions"
        column.replace(exp.alias_(exp.Null(), column.name) if is_result else exp.Null())
