"""Keys of ORDER BY and DISTINCT ON that are columns of the result, by name or by position.

A name that is both a column of the result and one of a table is that of the result. In GROUP BY it
is that of the table, except in dialects that group by the result.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.dialects import traits_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def set_keys_aside(tree: exp.Expr, dialect: str) -> None:
    """Replace the keys by texts, because sqlglot would take names for columns of tables."""
    for select in tree.find_all(exp.Select):
        names = _count_names(select)
        keys = list(_keys_of(select))
        group = select.args.get("group")
        if group and traits_of(dialect).groups_by_result:
            keys += [key for key in group.expressions if not key.is_int]
        for key in keys:
            if key.is_int or (_is_bare(key) and names[key.name] == 1):
                text = exp.Literal.string("")
                text.meta["key"] = key.copy()
                key.replace(text)


def restore_keys(tree: exp.Expr) -> None:
    """Replace the texts by the keys that `set_keys_aside` replaced."""
    for text in list(tree.find_all(exp.Literal)):
        if (key := text.meta.get("key")) is not None:
            text.replace(key)


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
