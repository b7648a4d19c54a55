"""The tables that UPDATE and DELETE change: named directly, by an alias of FROM, or by a CTE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlglot import exp

from lineage.sql.dialects import TSQL
from lineage.sql.names import table_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.sql.inputs import Env, InputWalk
    from lineage.sql.records import Name


class Target(NamedTuple):
    """A changed table, and the item of FROM that is the same row source, if there is one.

    ``sources`` are the other tables of the CTE through which it is changed: they choose its rows.
    """

    name: Name | None
    item: exp.Expr | None = None
    sources: tuple[Name, ...] = ()


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


def written_table(written: exp.Expr) -> exp.Expr:
    """Return the table of a written target, without its columns and its alias."""
    while isinstance(written, exp.Schema | exp.Alias):
        written = written.this
    return written


def find_target(walk: InputWalk, written: exp.Expr, items: list[exp.Expr], env: Env) -> Target:
    """Return the table that a written target is, among the items of FROM.

    In T-SQL and MySQL the target may be an alias of an item. In T-SQL it is also the only item of
    the same name; in PostgreSQL an item of the same name is another reference.
    """
    dialect = walk.draft.dialect
    written = written_table(written)
    name = walk.resolve_name(written)
    if name is None:
        return Target(None)
    for item in items:
        if len(name) == 1 and item.alias and _alias_name(item, dialect) == name:
            return _through_cte(Target(base_table(walk, item, env), item), item, env, dialect)
    same: list[exp.Expr] = [
        item for item in items if not item.alias and _names_match(name, item, dialect)
    ]
    if not same and dialect in TSQL:
        same = [item for item in items if table_name(item, dialect) == name]
    match = same[0] if len(same) == 1 or (same and dialect not in TSQL) else None
    if dialect not in TSQL:
        return Target(name, match)
    if match is not None and name not in env.ctes:
        return Target(table_name(match, dialect), match)
    if name in env.ctes:
        cte = env.ctes[name]
        base = cte.base or _base_of_columns(cte.query, written, dialect)
        return Target(base, match, tuple(each for each in cte.sources if each != base))
    return Target(name)


def _through_cte(target: Target, item: exp.Expr, env: Env, dialect: str) -> Target:
    """Return a target with the sources of the CTE that an item of FROM is, if it is one."""
    name = table_name(item, dialect)
    cte = env.ctes.get(name) if name is not None else None
    if cte is None:
        return target
    return target._replace(sources=tuple(each for each in cte.sources if each != target.name))


def base_table(walk: InputWalk, item: exp.Expr, env: Env) -> Name | None:
    """Return the table that a change of an item of FROM changes; None if there are several."""
    if isinstance(item, exp.Subquery):
        return walk.base_of(item.this, env)
    name = walk.resolve_name(item)
    if name is not None and name in env.ctes:
        return env.ctes[name].base
    return name


def _base_of_columns(query: exp.Expr | None, target: exp.Expr, dialect: str) -> Name | None:
    """Return the table of the columns that UPDATE assigns through a CTE over a join."""
    update = target.parent
    if not isinstance(query, exp.Select) or not isinstance(update, exp.Update):
        return None
    columns = {item.alias_or_name: item.unalias() for item in query.expressions}
    items = {item.alias_or_name: item for item in items_of(_sources_of(query))}
    tables = set()
    for assignment in update.expressions:
        column = columns.get(assignment.this.name)
        item = items.get(column.table) if isinstance(column, exp.Column) else None
        tables.add(table_name(item, dialect))
    return tables.pop() if len(tables) == 1 else None


def _sources_of(query: exp.Select) -> list[exp.Expr]:
    clause = query.args.get("from_") or query.args.get("from")
    return [*([clause] if clause else []), *(query.args.get("joins") or [])]


def _alias_name(item: exp.Expr, dialect: str) -> Name | None:
    alias = item.args.get("alias")
    return table_name(exp.Table(this=alias.this.copy()), dialect) if alias and alias.this else None


def _names_match(name: Name, item: exp.Expr, dialect: str) -> bool:
    """Return whether an item without an alias is the table: ``t`` for ``dbo.t`` in T-SQL."""
    known = table_name(item, dialect)
    return known is not None and (known == name or (len(name) == 1 and known[-1:] == name))
