"""PIVOT and UNPIVOT of an item of FROM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.columns import algebra
from lineage.columns.algebra import CONDITIONAL, FILTER, GROUP_BY
from lineage.sql.scopes import Scope, Source, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.columns.algebra import Deps
    from lineage.sql.expressions import ExpressionWalk


def take_pivot(item: exp.Expr) -> tuple[exp.Expr, exp.Pivot]:
    """Return an item of FROM without its pivot, and the pivot. Raises Unreadable if it has two."""
    [pivot, *others] = item.args["pivots"]
    if others:
        raise Unreadable("several pivots of one table are not supported")
    plain = item.copy()
    plain.set("pivots", None)
    return plain, pivot


def read_pivot(
    pivot: exp.Pivot, name: str, rows: Source, values: ExpressionWalk, outer: Scope
) -> Source:
    """Return the rows of a pivot of ``rows``, whose name in the pivot is ``name``.

    Raises Unreadable if the columns of the rows are not all known, or those of the result are named
    by literals, which the shape of a statement does not have.
    """
    if rows.is_open:
        raise Unreadable("the columns of a pivot are unknown without the schema of its table")
    scope = Scope({name: rows}, outer.definitions, outer=outer.outer)
    read = _read_unpivot if pivot.args.get("unpivot") else _read_pivot
    return read(pivot, rows, values, scope)


def _read_pivot(pivot: exp.Pivot, rows: Source, values: ExpressionWalk, scope: Scope) -> Source:
    names = [column.name for column in pivot.args.get("columns") or ()]
    if not names or any("?" in each for each in names):
        raise Unreadable("the columns of a pivot are named by literals")
    keys = [each.this for each in pivot.args["fields"]]
    chosen = values.trace_all(CONDITIONAL, keys, scope)
    results = [
        algebra.merge_deps([values.trace_expression(each, scope), chosen])
        for each in pivot.expressions
    ]
    used = _column_names((*keys, *pivot.expressions))
    others = [(each, deps) for each, deps in rows.columns if each not in used]
    grouping = values.trace_all(GROUP_BY, keys, scope)
    groups = algebra.apply_step(GROUP_BY, algebra.merge_deps(deps for _, deps in others))
    pivoted = [(each, results[place % len(results)]) for place, each in enumerate(names)]
    wide = algebra.merge_deps([rows.wide, grouping, groups])
    return Source((*others, *pivoted), wide=wide)


def _read_unpivot(pivot: exp.Pivot, rows: Source, values: ExpressionWalk, scope: Scope) -> Source:
    """Return rows with a name and a value for each listed column, or several for each list."""
    names = [each.name for value in pivot.expressions for each in _items_of(value)]
    [field] = pivot.args["fields"]
    lists = [_items_of(each.unalias()) for each in field.expressions]
    if any(len(each) != len(names) for each in lists):
        raise Unreadable("the columns of UNPIVOT are not as many as their names")
    unpivoted: list[tuple[str, Deps]] = [(field.this.name, algebra.NOTHING)]
    for name, columns in zip(names, zip(*lists, strict=True), strict=True):
        deps = algebra.merge_deps(values.trace_expression(each, scope) for each in columns)
        unpivoted.append((name, deps))
    listed = [column for each in lists for column in each]
    used = _column_names(listed)
    others = [(each, deps) for each, deps in rows.columns if each not in used]
    # Rows whose values are NULL are left out.
    chosen = [] if pivot.args.get("include_nulls") else listed
    wide = algebra.merge_deps([rows.wide, values.trace_all(FILTER, chosen, scope)])
    return Source((*others, *unpivoted), wide=wide)


def _items_of(value: exp.Expr) -> list[exp.Expr]:
    return list(value.expressions) if isinstance(value, exp.Tuple) else [value]


def _column_names(expressions: Iterable[exp.Expr]) -> set[str]:
    return {column.name for each in expressions for column in each.find_all(exp.Column)}
