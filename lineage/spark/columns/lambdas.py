"""Functions that take lambda functions: their variables are what an array or a map holds."""

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
    anchored,
    array,
    either,
    nested,
)
from lineage.spark.columns.containers import in_order
from lineage.spark.document.data_types import element_fields

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.columns.algebra import Deps
    from lineage.spark.columns.expressions import Scope
    from lineage.spark.document.plan import Expression

# So often the function of an aggregate is applied to what it gave before.
ROUNDS = 5
PLAIN_COMPARISON = {"And", "GreaterThan", "If", "IsNull", "LessThan", "Literal"}


def _applied(scope: Scope, index: int, *values: Column) -> Column:
    """Return what a lambda function gives for such values."""
    function = scope.plan.exprs[index]
    if function.cls != "LambdaFunction":
        return either([scope.column(index), *values]).applied(TRANSFORMATION)
    body, *variables = function.children
    ids = (scope.plan.exprs[variable].id for variable in variables)
    bound = {id: value for id, value in zip(ids, values, strict=False) if id is not None}
    return scope.within(bound).column(body)


def _transformed(scope: Scope, expr: Expression) -> Column:
    """TRANSFORM: the element, and its place where the function asks for it."""
    values, function = expr.children
    old = scope.column(values)
    element = _applied(scope, function, old.member(ELEMENT), EMPTY)
    length = old.decides_length
    return _array(element, length)


def _filtered(scope: Scope, expr: Expression) -> Column:
    values, function = expr.children
    old = scope.column(values)
    condition = _applied(scope, function, old.member(ELEMENT), EMPTY).deps
    return old.applied(TRANSFORMATION).besides(algebra.applied(FILTER, condition))


def _tested(scope: Scope, expr: Expression) -> Column:
    """EXISTS and FORALL."""
    values, function = expr.children
    old = scope.column(values)
    result = Column(_applied(scope, function, old.member(ELEMENT)).deps)
    return anchored(result, old.decides_length, TRANSFORMATION).applied(TRANSFORMATION)


def _folded(scope: Scope, expr: Expression) -> Column:
    """AGGREGATE and REDUCE: each round has the value of the one before."""
    values, zero, merge, finish = expr.children
    old = scope.column(values)
    total = scope.column(zero)
    for _ in range(ROUNDS):
        grown = either([total, _applied(scope, merge, total, old.member(ELEMENT))])
        if grown == total:
            break
        total = grown
    else:
        total = Column(algebra.merged([total.deps, old.deps]))
    done = _applied(scope, finish, total).applied(TRANSFORMATION)
    return anchored(done, old.decides_length, TRANSFORMATION)


def _zipped(scope: Scope, expr: Expression) -> Column:
    one, two, function = expr.children
    arrays = [scope.column(one), scope.column(two)]
    element = _applied(scope, function, *(each.member(ELEMENT) for each in arrays))
    length = algebra.merged(each.decides_length for each in arrays)
    return _array(element, length)


def _sorted(scope: Scope, expr: Expression) -> Column:
    """ARRAY_SORT: by the order of the elements, or by a function that compares two."""
    values, function = expr.children
    old = scope.column(values)
    if _is_plain(scope, function):
        names = expr.names or element_fields(scope.plan.exprs[values].type or "")
        return in_order(old, names).applied(TRANSFORMATION)
    element = old.member(ELEMENT)
    order = _applied(scope, function, element, element).deps
    return old.applied(TRANSFORMATION).besides(algebra.applied(SORT, order))


def _is_plain(scope: Scope, function: int) -> bool:
    """Does the function, as Spark's own does, compare nothing but the elements themselves?"""
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


def _array(element: Column, length: Deps) -> Column:
    deps = anchored(element, length, TRANSFORMATION).deps
    return array(element, deps, length).applied(TRANSFORMATION)


def _pairs_filtered(scope: Scope, expr: Expression) -> Column:
    values, function = expr.children
    old = scope.column(values)
    condition = _applied(scope, function, old.member(KEY), old.member(VALUE)).deps
    return old.applied(TRANSFORMATION).besides(algebra.applied(FILTER, condition))


def _side_transformed(name: str) -> Callable[[Scope, Expression], Column]:
    """TRANSFORM_KEYS or TRANSFORM_VALUES."""

    def rule(scope: Scope, expr: Expression) -> Column:
        values, function = expr.children
        old = scope.column(values)
        sides = {side: old.member(side) for side in (KEY, VALUE)}
        sides[name] = _applied(scope, function, *sides.values())
        return _map(sides[KEY], sides[VALUE], old)

    return rule


def _pairs_zipped(scope: Scope, expr: Expression) -> Column:
    one, two, function = expr.children
    maps = [scope.column(one), scope.column(two)]
    key = either(each.member(KEY) for each in maps)
    value = _applied(scope, function, key, *(each.member(VALUE) for each in maps))
    matched = algebra.applied(CONDITIONAL, key.deps)  # the values of equal keys go together
    return _map(key, value.besides(matched), *maps)


def _map(key: Column, value: Column, *before: Column) -> Column:
    length = algebra.merged(each.decides_length for each in before)
    deps = algebra.merged([key.deps, value.deps])
    members = [(KEY, key), (VALUE, value)]
    made = nested(members, anchored(Column(deps), length, TRANSFORMATION).deps, length)
    return made.applied(TRANSFORMATION)


LAMBDAS: dict[str, Callable[[Scope, Expression], Column]] = {
    "ArrayAggregate": _folded,
    "ArrayExists": _tested,
    "ArrayFilter": _filtered,
    "ArrayForAll": _tested,
    "ArraySort": _sorted,
    "ArrayTransform": _transformed,
    "MapFilter": _pairs_filtered,
    "MapZipWith": _pairs_zipped,
    "TransformKeys": _side_transformed(KEY),
    "TransformValues": _side_transformed(VALUE),
    "ZipWith": _zipped,
}
