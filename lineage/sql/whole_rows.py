"""Whole rows as values, ``to_jsonb(t)`` and ``struct(*)``: all columns of the row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp
from sqlglot.optimizer.scope import traverse_scope

from lineage.sql.scopes import Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def expand_rows(tree: exp.Expr, columns_of: Callable[[str, Any], Sequence[str]]) -> None:
    """Replace each row in an expression by its columns.

    ``columns_of`` returns the columns of a source of a scope. Raises Unreadable if they are not
    known.
    """
    for scope in traverse_scope(tree):
        if isinstance(scope.expression, exp.Select):
            for node in _rows_in(scope.expression):
                sources = _find_sources(node, scope)
                columns = [
                    exp.column(column, name)
                    for name, source in sources.items()
                    for column in _list_columns(name, source, columns_of)
                ]
                _replace_row(node, columns)


def is_row_count(node: exp.Expr) -> bool:
    """Return whether a node is ``COUNT(*)``, which uses no column."""
    return isinstance(node, exp.Count) and isinstance(node.this, exp.Star)


def _rows_in(select: exp.Select) -> Iterator[exp.Expr]:
    """Yield the rows in the expressions of a SELECT, without those in its subqueries."""
    for node in list(select.find_all(exp.TableColumn, exp.Star)):
        row = node.parent if isinstance(node.parent, exp.Column) else node
        is_own = node.find_ancestor(exp.Select) is select
        if is_own and not (isinstance(node, exp.Star) and _is_result_or_count(row, select)):
            yield row


def _is_result_or_count(row: exp.Expr, select: exp.Select) -> bool:
    """Return whether a star is a list of results, or counts rows."""
    parent = row.parent
    return parent is None or parent is select or is_row_count(parent)


def _find_sources(row: exp.Expr, scope: Any) -> dict[str, Any]:
    name = row.name if isinstance(row, exp.TableColumn) else row.args.get("table")
    if name is None:
        return {key: source for key, (_, source) in scope.selected_sources.items()}
    name = str(row.table if isinstance(row, exp.Column) else name)
    while scope is not None:
        if name in scope.selected_sources:
            return {name: scope.selected_sources[name][1]}
        scope = scope.parent
    raise Unreadable(f"the query has no source {name}")


def _list_columns(
    name: str, source: Any, columns_of: Callable[[str, Any], Sequence[str]]
) -> Sequence[str]:
    columns = columns_of(name, source)
    if not columns or "*" in columns:
        raise Unreadable(f"the columns of the row {name} are not known")
    return columns


def _replace_row(row: exp.Expr, columns: list[exp.Column]) -> None:
    star = row.find(exp.Star)
    if star is not None and any(star.args.values()):
        raise Unreadable("a star with modifiers is not supported")
    field = row.parent.parent if isinstance(row.parent, exp.Paren) else None
    if isinstance(field, exp.Dot) and isinstance(field.expression, exp.Identifier):
        fields = [each for each in columns if each.name == field.expression.name]
        if fields:  # (t).x
            field.replace(fields[0])
            return
    row.replace(exp.Tuple(expressions=columns))
