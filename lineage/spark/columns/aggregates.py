"""Aggregate and window functions: what they gather, and what they pick one of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import (
    AGGREGATION,
    CONDITIONAL,
    GROUP_BY,
    NOTHING,
    TRANSFORMATION,
    WINDOW,
    How,
)
from lineage.columns.relation import ELEMENT, Column, array, either, nested
from lineage.spark.document.data_types import struct_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lineage.spark.columns.expressions import Scope
    from lineage.spark.document.plan import Expression


def _aggregate(scope: Scope, expr: Expression) -> Column:
    """An aggregate function, and the condition of its FILTER clause."""
    function, *conditions = expr.children
    value = scope.column(function).applied(AGGREGATION)
    if expr.is_distinct:
        value = distinct(value)
    return value.besides(scope.applied(CONDITIONAL, conditions))


def _first(scope: Scope, expr: Expression) -> Column:
    """The value of one row: which one is not decided by a column."""
    value, *more = expr.children
    return scope.column(value).applied(AGGREGATION).besides(scope.applied(TRANSFORMATION, more))


def _shifted(scope: Scope, expr: Expression) -> Column:
    """LAG and LEAD: the value of another row, or else a default."""
    value, *more = expr.children
    default = more[1:2]
    taken = either(map(scope.column, (value, *default))).applied(TRANSFORMATION)
    return taken.besides(scope.applied(TRANSFORMATION, more[:1]))


def _extreme(scope: Scope, expr: Expression) -> Column:
    """MIN and MAX."""
    child = expr.children[0]
    names = expr.names or struct_fields(scope.plan.exprs[child].type or "")
    return picked_by_order(scope.column(child), names, CONDITIONAL).applied(AGGREGATION)


def picked_by_order(column: Column, names: Sequence[str], how: How) -> Column:
    """Return one of several values that are compared with each other.

    Structs are compared field by field: each decides, where they differ, of those after it.
    """
    if column.is_opaque:
        return column
    if column.members is not None and not column.origin:
        names = tuple(column.members)
    if not names or ELEMENT in names:
        return column.nested_besides(algebra.applied(how, column.deps))
    members, before = [], NOTHING
    for name in names:
        member = column.member(name)
        members.append((name, member.besides(before)))
        before = algebra.merged([before, algebra.applied(how, member.deps)])
    return nested(members, column.deps)


def _picked(value: int, by: int) -> Callable[[Scope, Expression], Column]:
    """An aggregate function that takes one of its arguments where the other says so."""

    def rule(scope: Scope, expr: Expression) -> Column:
        picked = scope.column(expr.children[value]).applied(AGGREGATION)
        return picked.besides(scope.applied(CONDITIONAL, [expr.children[by]]))

    return rule


_pivoted = _picked(1, 0)


def _pivot(scope: Scope, expr: Expression) -> Column:
    """PIVOT gathers the values of all its columns in one array."""
    value = _pivoted(scope, expr)
    return array(value, value.deps, NOTHING)


def _collected(scope: Scope, expr: Expression) -> Column:
    """COLLECT_LIST: of all that is not null, which a struct that is made never is."""
    child = expr.children[0]
    value = scope.column(child)
    is_made = scope.plan.exprs[child].cls == "CreateNamedStruct"
    return array(value, value.deps, NOTHING if is_made else value.deps).applied(AGGREGATION)


def _collected_once(scope: Scope, expr: Expression) -> Column:
    return distinct(_collected(scope, expr))


def distinct(values: Column) -> Column:
    """Return an array without its duplicates: all of an element decides whether it is one."""
    if values.is_opaque:
        return values
    element = values.member(ELEMENT)
    compared = element.nested_besides(algebra.applied(GROUP_BY, element.deps))
    return array(compared, values.deps)


def _window(scope: Scope, expr: Expression) -> Column:
    function, *spec = expr.children
    return scope.column(function).besides(scope.applied(WINDOW, spec))


AGGREGATES: dict[str, Callable[[Scope, Expression], Column]] = {
    "AggregateExpression": _aggregate,
    "AnyValue": _first,
    "CollectList": _collected,
    "CollectSet": _collected_once,
    "First": _first,
    "Lag": _shifted,
    "Last": _first,
    "Lead": _shifted,
    "Max": _extreme,
    "MaxBy": _picked(0, 1),
    "Min": _extreme,
    "MinBy": _picked(0, 1),
    "NthValue": _first,
    "PivotFirst": _pivot,
    "WindowExpression": _window,
}
