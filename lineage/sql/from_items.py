"""Items of FROM other than tables and queries: joins in parentheses, VALUES, and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.columns import algebra
from lineage.columns.algebra import JOIN, TRANSFORMATION
from lineage.sql.inputs import is_table_argument
from lineage.sql.scopes import Source, Unreadable
from lineage.sql.user_functions import user_function

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lineage.sql.expressions import ExpressionWalk
    from lineage.sql.scopes import Scope


def list_items(items: Iterable[exp.Expr], joins: list[exp.Expr]) -> Iterator[exp.Expr]:
    """Yield the items of FROM in the order of the text, also those in parentheses.

    The joins inside of items are added to ``joins``.
    """
    for item in items:
        if _is_parenthesized_join(item):
            yield from list_items([item.this], joins)
        else:
            yield item
        more = item.args.get("joins") or []
        joins += more
        yield from list_items([join.this for join in more], joins)


def _is_parenthesized_join(item: exp.Expr) -> bool:
    """Return whether an item is other items in parentheses: ``(a JOIN b ON …)``."""
    if not isinstance(item, exp.Subquery) or item.alias or item.args.get("pivots"):
        return False
    inner = item.this
    if isinstance(inner, exp.Subquery):
        is_item = inner.alias or inner.args.get("joins")
        return bool(is_item) or _is_parenthesized_join(inner)
    return not isinstance(inner, exp.Query)


def without_joins(item: exp.Expr) -> exp.Expr:
    """Return a copy of an item without the joins inside of it."""
    plain = item.copy()
    plain.set("joins", None)
    return plain


def joins_of(item: exp.Expr) -> list[exp.Expr]:
    """Return copies of the joins inside of an item."""
    return [join.copy() for join in item.args.get("joins") or []]


def name_of_item(item: exp.Expr) -> str:
    """Return the name by which the query refers to an item: after a pivot, that of the pivot."""
    if (pivots := item.args.get("pivots")) and pivots[-1].alias:
        return str(pivots[-1].alias)
    return item.alias_column_names[0] if _is_column_alias(item) else item.alias_or_name


def _is_column_alias(item: exp.Expr) -> bool:
    """Return whether the alias is that of the column, as in BigQuery's ``UNNEST(a) AS x``."""
    return isinstance(item, exp.Unnest) and not item.alias and len(item.alias_column_names) == 1


def read_rows(
    item: exp.Expr, scope: Scope, values: ExpressionWalk, dialect: str | None
) -> Source | None:
    """Return the rows of VALUES or of a function in FROM; None for another item.

    ``scope`` has the items before it. Each column of a function may depend on each argument, and
    the arguments determine the number of rows. Raises Unreadable for a function of users.
    """
    inner = item if isinstance(item, exp.Values) else item.this
    inner = inner.unnest() if isinstance(inner, exp.Subquery) else inner
    if isinstance(inner, exp.Values):
        return _read_values(inner, item.alias_column_names, values, scope)
    functions = list(_functions_of(item))
    if not functions:
        return None
    for function in functions:
        if _is_defined_by_users(function, dialect) or _reads_table(function):
            raise Unreadable(f"the columns of the function {function.name} are not known")
    arguments = algebra.merge_deps(values.trace_expression(each, scope) for each in functions)
    deps = algebra.apply_step(TRANSFORMATION, arguments)
    names = item.alias_column_names
    offsets = [each.args.get("offset") for each in functions]
    if names:
        names = [*names, *(each.name for each in offsets if isinstance(each, exp.Identifier))]
    return Source(
        tuple((name, deps) for name in names),
        wide=algebra.apply_step(JOIN, arguments),
        unnamed=None if names and not _is_column_alias(item) else deps,
    )


def _functions_of(item: exp.Expr) -> Iterator[exp.Func]:
    if isinstance(item, exp.Unnest):
        yield item
    elif isinstance(item, exp.Table | exp.Lateral | exp.TableFromRows):
        if isinstance(item.this, exp.Func):
            yield item.this
        for each in item.args.get("rows_from") or ():
            yield from _functions_of(each)


def _reads_table(function: exp.Func) -> bool:
    """Return whether an argument is a table or a model: ``ML.PREDICT(MODEL m, TABLE t)``."""
    return any(isinstance(each, exp.Table) for each in function.iter_expressions()) or any(
        map(is_table_argument, function.find_all(exp.Anonymous))
    )


def _is_defined_by_users(function: exp.Func, dialect: str | None) -> bool:
    if dialect is None:
        return isinstance(function, exp.Anonymous)
    return user_function(function, dialect) is not None


def _read_values(
    item: exp.Values, names: list[str], values: ExpressionWalk, scope: Scope
) -> Source:
    """Return the rows of VALUES with the names of its columns."""
    rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in item.expressions]
    if any(len(row) != len(names) for row in rows):
        raise Unreadable("the columns of VALUES have no names")
    columns = zip(names, zip(*rows, strict=True), strict=True)
    return Source(
        tuple((name, values.trace_all(TRANSFORMATION, cells, scope)) for name, cells in columns)
    )
