"""Column rules for aggregate and window functions."""

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
from lineage.columns.relation import ELEMENT, Column, array_column, either_column, nested_column
from lineage.spark.document.data_types import struct_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lineage.spark.columns.expressions import Scope
    from lineage.spark.document.plan import Expression


def _evaluate_aggregate(scope: Scope, expr: Expression) -> Column:
    """Evaluate an aggregate function, with the condition of its FILTER clause."""
    function, *conditions = expr.children
    value = scope.evaluate_column(function).apply_step(AGGREGATION)
    if expr.is_distinct:
        value = distinct_array(value)
    return value.with_extra(scope.apply_step(CONDITIONAL, conditions))


def _evaluate_first(scope: Scope, expr: Expression) -> Column:
    """Evaluate FIRST, LAST and similar: the value of one row, which no column selects."""
    value, *more = expr.children
    return (
        scope.evaluate_column(value)
        .apply_step(AGGREGATION)
        .with_extra(scope.apply_step(TRANSFORMATION, more))
    )


def _evaluate_lag(scope: Scope, expr: Expression) -> Column:
    """Evaluate LAG and LEAD: the value of another row, or else a default."""
    value, *more = expr.children
    default = more[1:2]
    shifted = either_column(map(scope.evaluate_column, (value, *default))).apply_step(
        TRANSFORMATION
    )
    return shifted.with_extra(scope.apply_step(TRANSFORMATION, more[:1]))


def _evaluate_extreme(scope: Scope, expr: Expression) -> Column:
    """Evaluate MIN and MAX."""
    child = expr.children[0]
    names = expr.names or struct_fields(scope.plan.exprs[child].type or "")
    return picked_by_order(scope.evaluate_column(child), names, CONDITIONAL).apply_step(AGGREGATION)


def picked_by_order(column: Column, names: Sequence[str], how: How) -> Column:
    """Return one of several values, chosen by comparing them.

    Structs are compared field by field: each field affects the choice of the fields after it.
    """
    if column.is_opaque:
        return column
    if column.members is not None and not column.origin:
        names = tuple(column.members)
    if not names or ELEMENT in names:
        return column.with_nested_extra(algebra.apply_step(how, column.deps))
    members, before = [], NOTHING
    for name in names:
        member = column.nested_value(name)
        members.append((name, member.with_extra(before)))
        before = algebra.merge_deps([before, algebra.apply_step(how, member.deps)])
    return nested_column(members, column.deps)


def _pick_by(value: int, by: int) -> Callable[[Scope, Expression], Column]:
    """Build the rule of an aggregate that returns one argument at an extreme of another."""

    def evaluate_pick(scope: Scope, expr: Expression) -> Column:
        picked = scope.evaluate_column(expr.children[value]).apply_step(AGGREGATION)
        return picked.with_extra(scope.apply_step(CONDITIONAL, [expr.children[by]]))

    return evaluate_pick


_pivoted = _pick_by(1, 0)


def _evaluate_pivot(scope: Scope, expr: Expression) -> Column:
    """Evaluate PIVOT, which collects the values of all its columns in one array."""
    value = _pivoted(scope, expr)
    return array_column(value, value.deps, NOTHING)


def _evaluate_collect(scope: Scope, expr: Expression) -> Column:
    """Evaluate COLLECT_LIST, which skips nulls; a newly created struct is never null."""
    child = expr.children[0]
    value = scope.evaluate_column(child)
    is_new_struct = scope.plan.exprs[child].cls == "CreateNamedStruct"
    return array_column(value, value.deps, NOTHING if is_new_struct else value.deps).apply_step(
        AGGREGATION
    )


def _collected_once(scope: Scope, expr: Expression) -> Column:
    return distinct_array(_evaluate_collect(scope, expr))


def distinct_array(values: Column) -> Column:
    """Return an array without duplicates; elements are compared as a whole."""
    if values.is_opaque:
        return values
    element = values.nested_value(ELEMENT)
    compared = element.with_nested_extra(algebra.apply_step(GROUP_BY, element.deps))
    return array_column(compared, values.deps)


def _evaluate_window(scope: Scope, expr: Expression) -> Column:
    function, *spec = expr.children
    return scope.evaluate_column(function).with_extra(scope.apply_step(WINDOW, spec))


AGGREGATES: dict[str, Callable[[Scope, Expression], Column]] = {
    "AggregateExpression": _evaluate_aggregate,
    "AnyValue": _evaluate_first,
    "CollectList": _evaluate_collect,
    "CollectSet": _collected_once,
    "First": _evaluate_first,
    "Lag": _evaluate_lag,
    "Last": _evaluate_first,
    "Lead": _evaluate_lag,
    "Max": _evaluate_extreme,
    "MaxBy": _pick_by(0, 1),
    "Min": _evaluate_extreme,
    "MinBy": _pick_by(0, 1),
    "NthValue": _evaluate_first,
    "PivotFirst": _evaluate_pivot,
    "WindowExpression": _evaluate_window,
}
