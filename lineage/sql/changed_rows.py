"""The rows that changes write, return in WITH, or pass to OUTPUT, as queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

from sqlglot import exp

from lineage.sql.dialects import TSQL
from lineage.sql.from_items import joins_of, without_joins
from lineage.sql.inputs import CHANGES
from lineage.sql.names import table_name
from lineage.sql.scopes import Unreadable, clause_of, take_with
from lineage.sql.targets import items_of, written_table
from lineage.sql.trees import parse_tree

if TYPE_CHECKING:
    from lineage.sql.tsql import Output

# Return the known columns of a table.
FindColumns: TypeAlias = Callable[[exp.Expr], Sequence[str]]
_MAX_ROWS = 50
_NO_COLUMNS = "the rows that an INSERT returns are not known without the columns of its table"


def table_alias(name: str, columns: Sequence[str] = ()) -> exp.TableAlias:
    """Return ``AS name (columns)``."""
    identifiers = [exp.to_identifier(each) for each in columns]
    return exp.TableAlias(this=exp.to_identifier(name), columns=identifiers)


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


def replace_changes(query: exp.Query, dialect: str, columns_of: FindColumns) -> None:
    """Replace each change in WITH by the query of the rows that it returns.

    Raises Unreadable for MERGE, and for rows that ON CONFLICT updates.
    """
    clause = clause_of(query, "with")
    for definition in clause.expressions if clause is not None else ():
        change = definition.this
        if not isinstance(change, CHANGES):
            continue
        returning = change.args.get("returning")
        returned = returning.expressions if returning is not None else [exp.Null()]
        if isinstance(change, exp.Insert):
            select = _select_inserted(change, columns_of)
        elif isinstance(change, exp.Update):
            select = select_update(change, dialect)
        elif isinstance(change, exp.Delete):
            select = _select_deleted(change)
        else:
            raise Unreadable("the rows that a MERGE returns are not read for their columns")
        definition.set("this", select.select(*(each.copy() for each in returned)))


def _select_deleted(delete: exp.Delete) -> exp.Select:
    """Return the rows that a DELETE removes, without columns."""
    select = exp.select().from_(delete.this.copy())
    for item in delete.args.get("using") or ():
        select.append("joins", exp.Join(this=item.copy()))
    if where := delete.args.get("where"):
        select.set("where", where.copy())
    return select


def _select_inserted(insert: exp.Insert, columns_of: FindColumns) -> exp.Select:
    """Return the rows that an INSERT adds, without columns.

    A column that the statement does not insert has its default.
    """
    if (conflict := insert.args.get("conflict")) is not None and conflict.expressions:
        raise Unreadable("the rows that ON CONFLICT returns are not read for their columns")
    schema = insert.this if isinstance(insert.this, exp.Schema) else None
    table = written_table(insert.this)
    columns = columns_of(table)
    names = [item.name for item in schema.expressions] if schema is not None else list(columns)
    query = insert.expression
    if isinstance(query, exp.Values):
        query = select_values(query)
    if not isinstance(query, exp.Query) or not names:
        raise Unreadable(_NO_COLUMNS)
    written = names if query.is_star else names[: len(query.selects)]
    inserted = exp.Subquery(this=take_with(insert, query.copy()), alias=table_alias("new", written))
    defaults = [exp.alias_(exp.Null(), each) for each in columns if each not in written]
    rows = exp.select("new.*", *defaults).from_(inserted)
    return exp.select().from_(exp.Subquery(this=rows, alias=table_alias(table.alias_or_name)))


def select_values(values: exp.Values) -> exp.Query:
    """Return the rows of VALUES as a query, each once and without those of constants.

    Raises Unreadable if there are very many.
    """
    with_query = [row for row in values.expressions if row.find(exp.Query)]
    different = {row.sql(): row for row in with_query or values.expressions[:1]}
    if len(different) > _MAX_ROWS:
        raise Unreadable(f"VALUES has more than {_MAX_ROWS} different queries")
    rows: list[exp.Query] = [
        exp.select(*(each.copy() for each in row.expressions)) for row in different.values()
    ]
    return reduce(lambda before, row: exp.union(before, row, distinct=False), rows)


def select_output(tree: exp.Expr, output: Output) -> exp.Select:
    """Return the rows of an OUTPUT clause of T-SQL: those of the table that is changed.

    If the clause has columns of other tables, these are the items of FROM or USING.
    """
    select = parse_tree("SELECT " + output.text, "tsql")
    if not isinstance(select, exp.Select):
        raise Unreadable("the list of an OUTPUT clause is not read")
    for column in list(select.find_all(exp.Column)):
        if column.name.lower() == "$action":
            column.replace(exp.Null())
    clause = clause_of(tree, "from") or tree.args.get("using")
    items = [item.copy() for item in items_of(clause)] if output.has_sources else []
    table = written_table(tree.this)
    table = next((each for each in items if each.alias.lower() == table.name.lower()), table)
    for name in ("inserted", "deleted"):
        row = without_joins(table)
        row.set("alias", table_alias(name))
        items.append(row)
    for item in items:
        add = select.join if clause_of(select, "from") is not None else select.from_
        select = add(without_joins(item))
    return select


def _is_target(target: exp.Expr, item: exp.Expr, dialect: str) -> bool:
    """Return whether an item of FROM is the target of T-SQL's UPDATE."""
    name = table_name(target, dialect)
    if name is None:
        return False
    if len(name) == 1 and item.alias and item.alias.lower() == name[0].lower():
        return True
    return not item.alias and table_name(item, dialect) == name
