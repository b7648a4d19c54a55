"""Divide a statement that changes several tables into changes of one table each."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.errors import SqlglotError

from lineage.sql.changed_rows import select_output, table_alias
from lineage.sql.dialects import TSQL
from lineage.sql.from_items import joins_of, without_joins
from lineage.sql.inputs import CHANGES
from lineage.sql.names import table_name
from lineage.sql.placeholders import replace_binds
from lineage.sql.scopes import Unreadable, clause_of, set_clause
from lineage.sql.simplification import simplify_text
from lineage.sql.targets import written_table
from lineage.sql.trees import IGNORES_VALUES, parse_statements
from lineage.sql.tsql import prepare_change

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lineage.sql.records import Name
    from lineage.sql.tsql import Output

# MySQL's REPLACE writes the same columns as INSERT.
# DECLARE @t TABLE (…) of T-SQL.
_DECLARATION = re.compile(r"(?i)\A\s*DECLARE\s+(@\w+)\s+(?:AS\s+)?TABLE\b")
_REPLACE = re.compile(r"\A\s*REPLACE\b", re.IGNORECASE)


def changes_of(text: str, dialect: str, target: Name) -> list[exp.Expr]:
    """Return the changes of a statement that write a table.

    In T-SQL the statement itself, which is the first, may name it by an alias of FROM. Raises an
    error of sqlglot for a text that it does not parse.
    """
    changes = _parse_changes(text, dialect)
    mine = [each for each in changes if table_name(_table_of(each), dialect) == target]
    if len(changes) == 1 or (not mine and dialect in TSQL):
        mine = changes[:1]
    if not mine:
        raise Unreadable("the output is not one of the tables that the statement names")
    return [each.copy() for each in mine]  # which the caller changes


@lru_cache(maxsize=1)  # the outputs of a statement are traced one after the other
def _parse_changes(text: str, dialect: str) -> list[exp.Expr]:
    prepared = prepare_change(text, dialect) if dialect in TSQL else None
    if prepared is not None and prepared.nested:
        raise Unreadable("the rows of a change in FROM are not read for their columns")
    if prepared is None:
        return _list_changes(_parse_statement(text, dialect))
    return _list_changes(_parse_statement(prepared.text, dialect), prepared.outputs)


def _parse_statement(text: str, dialect: str) -> exp.Expr:
    """Parse a statement; if that fails, without the clauses that sqlglot does not parse."""
    if IGNORES_VALUES.search(text):
        raise Unreadable("the values of identity columns are ignored")
    if dialect == "mysql":
        text = _REPLACE.sub("INSERT", text)
    text = _DECLARATION.sub(r"CREATE TABLE \1", replace_binds(text, dialect))
    try:
        tree = parse_statements(text, dialect)[0]
    except SqlglotError:
        simple = simplify_text(text, dialect, keeps_columns=True)
        if simple == text:
            raise
        return parse_statements(simple, dialect)[0]
    if isinstance(tree, exp.Command):
        return parse_statements(simplify_text(text, dialect, keeps_columns=True), dialect)[0]
    return _name_table_variables(tree) if dialect in TSQL else tree


def _name_table_variables(tree: exp.Expr) -> exp.Expr:
    """Give a tree plain names in place of table variables: ``FROM @t``."""
    for table in tree.find_all(exp.Table):
        if isinstance(table.this, exp.Parameter):
            table.set("this", exp.to_identifier(f"@{table.this.name.lower()}", quoted=True))
    return tree


def _list_changes(tree: exp.Expr, outputs: Sequence[Output] = ()) -> list[exp.Expr]:
    """Return the changes of a statement: itself if it is one, and others.

    Others are the INSERTs of INSERT ALL and of Hive's FROM … INSERT, the changes in WITH, and the
    writes of ``outputs``, which are the OUTPUT clauses of a T-SQL statement.
    """
    if isinstance(tree, exp.MultitableInserts):
        return list(_list_inserts(tree))
    nested = list(_list_nested(tree))
    is_query = isinstance(tree, exp.Select) and not tree.args.get("into")
    own = [] if nested and is_query else [tree]
    written = [_insert_output(tree, each) for each in outputs if each.target is not None]
    return own + nested + written


def _table_of(change: exp.Expr) -> exp.Expr:
    into = change.args.get("into") if isinstance(change, exp.Select) else None
    return written_table((into or change).this)


def _list_nested(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the changes in WITH, each with the definitions before it."""
    query = tree.expression if isinstance(tree, exp.Create) else None
    clause = clause_of(tree if query is None else query, "with")
    definitions = clause.expressions if clause is not None else []
    for place, definition in enumerate(definitions):
        change = definition.this
        if not isinstance(change, CHANGES):
            continue
        if clause_of(change, "with") is not None:
            raise Unreadable("two WITH clauses are not read for their columns")
        single = change.copy()
        if place:
            before = clause.copy()
            before.set("expressions", [each.copy() for each in definitions[:place]])
            set_clause(single, "with", before)
        yield single


def _list_inserts(tree: exp.MultitableInserts) -> Iterator[exp.Insert]:
    conditions = _conditions_of(tree)
    for item, choice in zip(tree.expressions, conditions, strict=True):
        single = (item.this if isinstance(item, exp.ConditionalInsert) else item).copy()
        source = tree.args["source"]
        if isinstance(source, exp.Query) and not isinstance(single.expression, exp.Select):
            single.set("expression", _select_values(single.expression, source, choice))
        else:
            query = single.expression
            set_clause(query, "from", exp.From(this=_without_laterals(source)))
            query.set("joins", joins_of(source) + joins_of(query))
            laterals = [*(source.args.get("laterals") or []), *(query.args.get("laterals") or [])]
            query.set("laterals", [each.copy() for each in laterals])
        if (clause := clause_of(tree, "with")) is not None:
            set_clause(single, "with", clause.copy())
        yield single


def _without_laterals(item: exp.Expr) -> exp.Expr:
    plain = without_joins(item)
    plain.set("laterals", None)
    return plain


def _conditions_of(tree: exp.MultitableInserts) -> Iterator[list[exp.Expr]]:
    """Yield the conditions that choose the rows of each INSERT of INSERT ALL or FIRST.

    INTO without WHEN belongs to the WHEN before it. The rows of ELSE, and with FIRST those of each
    WHEN, also depend on the conditions before.
    """
    is_first = str(tree.args.get("kind") or "").upper() == "FIRST"
    before: list[exp.Expr] = []
    current: list[exp.Expr] = []
    for item in tree.expressions:
        condition = item.args.get("expression") if isinstance(item, exp.ConditionalInsert) else None
        if condition is not None:
            current = [*(before if is_first else []), condition]
            before.append(condition)
        elif isinstance(item, exp.ConditionalInsert) and item.args.get("else_"):
            current = list(before)
        yield current


def _select_values(
    values: exp.Expr | None, source: exp.Query, conditions: Sequence[exp.Expr]
) -> exp.Select:
    """Return the rows that INSERT ALL writes to one table: all of the source without VALUES."""
    columns: list[exp.Expr] = [exp.Star()]
    if values is not None:
        (row,) = values.expressions
        columns = [exp.Null() if _is_default(each) else each for each in row.expressions]
    select = exp.select(*(each.copy() for each in columns))
    select = select.from_(exp.Subquery(this=source.copy(), alias=table_alias("rows_of_source")))
    return select.where(*(each.copy() for each in conditions)) if conditions else select


def _is_default(value: exp.Expr) -> bool:
    return isinstance(value, exp.Var) and value.name.upper() == "DEFAULT"


def _insert_output(tree: exp.Expr, output: Output) -> exp.Insert:
    """Return an OUTPUT clause of T-SQL as the INSERT of its rows."""
    assert output.target is not None
    table = exp.Table(this=exp.to_identifier(output.target[-1], quoted=True))
    for key, name in zip(("db", "catalog"), reversed(output.target[:-1]), strict=False):
        table.set(key, exp.to_identifier(name, quoted=True))
    columns = [exp.to_identifier(each, quoted=True) for each in output.columns]
    target = exp.Schema(this=table, expressions=columns) if columns else table
    return exp.Insert(this=target, expression=select_output(tree, output))
