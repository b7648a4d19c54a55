"""Keys of ORDER BY and DISTINCT ON that are columns of the result, by name or by position.

A name that is both a column of the result and one of a table is that of the result. In GROUP BY it
is that of the table, except in dialects that do not define it so.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.scopes import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

_AMBIGUOUS_GROUPS = frozenset({"bigquery", "clickhouse"})


def set_keys_aside(tree: exp.Expr) -> None:
    """Replace the keys by texts, because sqlglot would take names for columns of tables."""
    for select in tree.find_all(exp.Select):
        group = select.args.get("group")
        for key in group.expressions if group else ():
            key.meta["is_bare"] = _is_bare(key)
        names = _count_names(select)
        for key in list(_keys_of(select)):
            if key.is_int or (_is_bare(key) and names[key.name] == 1):
                text = exp.Literal.string("")
                text.meta["key"] = key.copy()
                key.replace(text)


def restore_keys(tree: exp.Expr, dialect: str) -> None:
    """Replace the texts by the keys that `set_keys_aside` replaced, and check those of GROUP BY.

    Raises Unreadable if it is not known which column a key of GROUP BY is.
    """
    for select in tree.find_all(exp.Select) if dialect in _AMBIGUOUS_GROUPS else ():
        _refuse_ambiguous_groups(select)
    for text in list(tree.find_all(exp.Literal)):
        if (key := text.meta.get("key")) is not None:
            text.replace(key)


def _refuse_ambiguous_groups(select: exp.Select) -> None:
    """Raise Unreadable if a key of GROUP BY is the name of a column of a table and of another one.

    The keys have their tables, which those that are only in the result do not get.
    """
    group = select.args.get("group")
    values = {each.alias: each.this for each in select.expressions if each.alias}
    for key in group.expressions if group else ():
        is_of_table = isinstance(key, exp.Column) and key.table and key.meta.get("is_bare")
        if is_of_table and values.get(key.name, key) != key:
            raise Unreadable(f"the column {key.name} in GROUP BY is ambiguous")


def _count_names(select: exp.Select) -> Counter[str]:
    return Counter(each.alias_or_name for each in select.expressions if not each.is_star)


def _keys_of(select: exp.Select) -> Iterator[exp.Expr]:
    order, distinct = select.args.get("order"), select.args.get("distinct")
    for item in order.expressions if order else ():
        yield item.this if isinstance(item, exp.Ordered) else item
    on = distinct.args.get("on") if distinct else None
    if on is not None:
        yield from on.expressions if isinstance(on, exp.Tuple) else [on.unnest()]


def _is_bare(key: exp.Expr) -> bool:
    return isinstance(key, exp.Column) and not key.table
