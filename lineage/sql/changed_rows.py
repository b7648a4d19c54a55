"""The rows of UPDATE, and of DELETE … RETURNING in a CTE, as queries."""

from __future__ import annotations

from sqlglot import exp

from lineage.sql.from_items import joins_of, without_joins
from lineage.sql.lexer import TSQL
from lineage.sql.names import table_name
from lineage.sql.scopes import clause_of
from lineage.sql.targets import items_of


def select_update(tree: exp.Update, dialect: str) -> exp.Select:
    """Return the rows that an UPDATE changes, without columns."""
    clause = clause_of(tree, "from")
    items = [item.copy() for item in items_of(clause)] if clause is not None else []
    is_item = dialect in TSQL and any(_is_target(tree.this, each, dialect) for each in items)
    if clause is not None and is_item:
        select = exp.select().from_(without_joins(clause.this))
        select.set("joins", joins_of(clause.this))
    else:
        select = exp.select().from_(without_joins(tree.this))
        select.set("joins", joins_of(tree.this))
        if clause is not None:
            select.append("joins", exp.Join(this=without_joins(clause.this)))
            for join in joins_of(clause.this):
                select.append("joins", join)
    if where := tree.args.get("where"):
        select.set("where", where.copy())
    return select


def replace_deletes(query: exp.Query) -> None:
    """Replace each DELETE … RETURNING in WITH by the query of the rows that it deletes."""
    clause = clause_of(query, "with")
    for definition in clause.expressions if clause is not None else ():
        delete = definition.this
        if not isinstance(delete, exp.Delete) or not delete.args.get("returning"):
            continue
        returned = delete.args["returning"].expressions
        select = exp.select(*(each.copy() for each in returned)).from_(delete.this.copy())
        for item in delete.args.get("using") or ():
            select.append("joins", exp.Join(this=item.copy()))
        if where := delete.args.get("where"):
            select.set("where", where.copy())
        definition.set("this", select)


def _is_target(target: exp.Expr, item: exp.Expr, dialect: str) -> bool:
    """Return whether an item of FROM is the target of T-SQL's UPDATE."""
    name = table_name(target, dialect)
    if name is None:
        return False
    if len(name) == 1 and item.alias and item.alias.lower() == name[0].lower():
        return True
    return not item.alias and table_name(item, dialect) == name
