"""The tables that UPDATE and DELETE change: named directly, by an alias of FROM, or by a CTE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlglot import exp

from lineage.sql.lexer import TSQL
from lineage.sql.names import table_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.sql.inputs import Env, InputWalk
    from lineage.sql.records import Name


class Target(NamedTuple):
    """A changed table, and the item of FROM that is the same row source, if there is one."""

    name: Name | None
    item: exp.Expr | None = None


def items_of(node: Any) -> Iterator[exp.Expr]:
    """Yield the items of FROM or USING, including those in joins and in parentheses."""
    if isinstance(node, list):
        for each in node:
            yield from items_of(each)
    elif isinstance(node, exp.From | exp.Join):
        yield from items_of(node.this)
        yield from items_of(node.args.get("joins"))
    elif isinstance(node, exp.Paren):
        yield from items_of(node.this)
    elif isinstance(node, exp.Table | exp.Subquery):
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            yield from items_of(node.this)
        else:
            yield node
        yield from items_of(node.args.get("joins"))


def find_target(walk: InputWalk, written: exp.Expr, items: list[exp.Expr], env: Env) -> Target:
    """Return the table that a written target is, among the items of FROM.

    In T-SQL and MySQL the target may be an alias of an item. In T-SQL it is also the only item of
    the same name; in PostgreSQL an item of the same name is another reference.
    """
    dialect = walk.draft.dialect
    while isinstance(written, exp.Schema | exp.Alias):
        written = written.this
    name = walk.resolve_name(written)
    if name is None:
        return Target(None)
    for item in items:
        if len(name) == 1 and item.alias and _alias_name(item, dialect) == name:
            return Target(base_table(walk, item, env), item)
    same: list[exp.Expr] = [
        item for item in items if not item.alias and _names_match(name, item, dialect)
    ]
    if not same and dialect in TSQL:
        same = [item for item in items if table_name(item, dialect) == name]
    match = same[0] if len(same) == 1 or (same and dialect not in TSQL) else None
    if match is not None and name not in env.ctes:
        return Target(table_name(match, dialect), match)
    if name in env.ctes:
        return Target(env.ctes[name].base, match)
    return Target(name)


def base_table(walk: InputWalk, item: exp.Expr, env: Env) -> Name | None:
    """Return the table that a change of an item of FROM changes; None if there are several."""
    if isinstance(item, exp.Subquery):
        return walk.base_of(item.this, env)
    name = walk.resolve_name(item)
    if name is not None and name in env.ctes:
        return env.ctes[name].base
    return name


def _alias_name(item: exp.Expr, dialect: str) -> Name | None:
    alias = item.args.get("alias")
    return table_name(exp.Table(this=alias.this.copy()), dialect) if alias and alias.this else None


def _names_match(name: Name, item: exp.Expr, dialect: str) -> bool:
    """Return whether an item without an alias is the table: ``t`` for ``dbo.t`` in T-SQL."""
    known = table_name(item, dialect)
    return known is not None and (known == name or (len(name) == 1 and known[-1:] == name))
