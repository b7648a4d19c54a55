"""Column rules for higher-order functions, whose variables are elements of arrays or maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import CONDITIONAL, FILTER, SORT, TRANSFORMATION
from lineage.columns.relation import (
    ELEMENT,
    EMPTY,
    KEY,
    VALUE,
    Column,
    anchor_length,
    array_column,
    either_column,
    nested_column,
)
from lineage.spark.columns.containers import in_order
from lineage.spark.document.data_types import element_fields

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.columns.algebra import Deps
    from lineage.spark.columns.expressions import Scope
    from lineage.spark.document.plan import Expression

# Maximum number of applications of an aggregate's function to its own result.
ROUNDS = 5
PLAIN_COMPARISON = {"And", "GreaterThan", "If", "IsNull", "LessThan", "Literal"}


def _apply_lambda(scope: Scope, index: int, *values: Column) -> Column:
    """Evaluate a lambda function for these values."""
    function = scope.plan.exprs[index]
    if function.cls != "LambdaFunction":
        return either_column([scope.evaluate_column(index), *values]).apply_step(TRANSFORMATION)
    body, *variables = function.children
    ids = (scope.plan.exprs[variable].id for variable in variables)
    bound = {id: value for id, value in zip(ids, values, strict=False) if id is not None}
    return scope.with_variables(bound).evaluate_column(body)


def _evaluate_transform(scope: Scope, expr: Expression) -> Column:
    """Evaluate TRANSFORM; a second parameter of the function is the index of the element."""
    values, function = expr.children
    old = scope.evaluate_column(values)
    element = _apply_lambda(scope, function, old.nested_value(ELEMENT), EMPTY)
    length = old.decides_length
    return _array_of(element, length)


def _evaluate_filter(scope: Scope, expr: Expression) -> Column:
    values, function = expr.children
    old = scope.evaluate_column(values)
    condition = _apply_lambda(scope, function, old.nested_value(ELEMENT), EMPTY).deps
    return old.apply_step(TRANSFORMATION).with_extra(algebra.apply_step(FILTER, condition))


def _evaluate_exists(scope: Scope, expr: Expression) -> Column:
    """Evaluate EXISTS and FORALL."""
    values, function = expr.children
    old = scope.evaluate_column(values)
    result = Column(_apply_lambda(scope, function, old.nested_value(ELEMENT)).deps)
    return anchor_length(result, old.decides_length, TRANSFORMATION).apply_step(TRANSFORMATION)


def _evaluate_aggregate(scope: Scope, expr: Expression) -> Column:
    """Evaluate AGGREGATE and REDUCE: each step uses the result of the previous one."""
    values, zero, merge, finish = expr.children
    old = scope.evaluate_column(values)
    total = scope.evaluate_column(zero)
    for _ in range(ROUNDS):
        grown = either_column(
            [total, _apply_lambda(scope, merge, total, old.nested_value(ELEMENT))]
        )
        if grown == total:
            break
        total = grown
    else:
        total = Column(algebra.merge_deps([total.deps, old.deps]))
    done = _apply_lambda(scope, finish, total).apply_step(TRANSFORMATION)
    return anchor_length(done, old.decides_length, TRANSFORMATION)


def _evaluate_zip_with(scope: Scope, expr: Expression) -> Column:
    one, two, function = expr.children
    arrays = [scope.evaluate_column(one), scope.evaluate_column(two)]
    element = _apply_lambda(scope, function, *(each.nested_value(ELEMENT) for each in arrays))
    length = algebra.merge_deps(each.decides_length for each in arrays)
    return _array_of(element, length)


def _evaluate_array_sort(scope: Scope, expr: Expression) -> Column:
    """Evaluate ARRAY_SORT, by the order of the elements or by a function that compares two."""
    values, function = expr.children
    old = scope.evaluate_column(values)
    if _is_plain(scope, function):
        names = expr.names or element_fields(scope.plan.exprs[values].type or "")
        return in_order(old, names).apply_step(TRANSFORMATION)
    element = old.nested_value(ELEMENT)
    order = _apply_lambda(scope, function, element, element).deps
    return old.apply_step(TRANSFORMATION).with_extra(algebra.apply_step(SORT, order))


def _is_plain(scope: Scope, function: int) -> bool:
    """Return whether the function compares only whole elements, as Spark's default does."""
    exprs = scope.plan.exprs
    body, *variables = exprs[function].children
    pending = [body]
    while pending:
        index = pending.pop()
        if index not in variables:
            if exprs[index].cls not in PLAIN_COMPARISON:
                return False
            pending += exprs[index].children
    return True


def _array_of(element: Column, length: Deps) -> Column:
    deps = anchor_length(element, length, TRANSFORMATION).deps
    return array_column(element, deps, length).apply_step(TRANSFORMATION)


def _pairs_filtered(scope: Scope, expr: Expression) -> Column:
    values, function = expr.children
    old = scope.evaluate_column(values)
    condition = _apply_lambda(scope, function, old.nested_value(KEY), old.nested_value(VALUE)).deps
    return old.apply_step(TRANSFORMATION).with_extra(algebra.apply_step(FILTER, condition))


def _side_transformed(name: str) -> Callable[[Scope, Expression], Column]:
    """Build the rule of TRANSFORM_KEYS or TRANSFORM_VALUES."""

    def evaluate_sides(scope: Scope, expr: Expression) -> Column:
        values, function = expr.children
        old = scope.evaluate_column(values)
        sides = {side: old.nested_value(side) for side in (KEY, VALUE)}
        sides[name] = _apply_lambda(scope, function, *sides.values())
        return _map_of(sides[KEY], sides[VALUE], old)

    return evaluate_sides


def _pairs_zipped(scope: Scope, expr: Expression) -> Column:
    one, two, function = expr.children
    maps = [scope.evaluate_column(one), scope.evaluate_column(two)]
    key = either_column(each.nested_value(KEY) for each in maps)
    value = _apply_lambda(scope, function, key, *(each.nested_value(VALUE) for each in maps))
    matched = algebra.apply_step(CONDITIONAL, key.deps)  # values are paired by equal keys
    return _map_of(key, value.with_extra(matched), *maps)


def _map_of(key: Column, value: Column, *before: Column) -> Column:
    length = algebra.merge_deps(each.decides_length for each in before)
    deps = algebra.merge_deps([key.deps, value.deps])
    members = [(KEY, key), (VALUE, value)]
    entries = nested_column(
        members, anchor_length(Column(deps), length, TRANSFORMATION).deps, length
    )
    return entries.apply_step(TRANSFORMATION)


LAMBDAS: dict[str, Callable[[Scope, Expression], Column]] = {
    "ArrayAggregate": _evaluate_aggregate,
    "ArrayExists": _evaluate_exists,
    "ArrayFilter": _evaluate_filter,
    "ArrayForAll": _evaluate_exists,
    "ArraySort": _evaluate_array_sort,
    "ArrayTransform": _evaluate_transform,
    "MapFilter": _pairs_filtered,
    "MapZipWith": _pairs_zipped,
    "TransformKeys": _side_transformed(KEY),
    "TransformValues": _side_transformed(VALUE),
    "ZipWith": _evaluate_zip_with,
}
