"""Column rules for arrays and maps: creation, combination and element access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import CONDITIONAL, FILTER, NOTHING, SORT, TRANSFORMATION
from lineage.columns.relation import (
    ELEMENT,
    KEY,
    VALUE,
    Column,
    anchor_length,
    array_column,
    either_column,
    nested_column,
)
from lineage.spark.columns.aggregates import distinct_array, picked_by_order
from lineage.spark.document.data_types import element_fields, struct_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lineage.columns.algebra import Deps
    from lineage.spark.columns.expressions import Scope
    from lineage.spark.document.plan import Expression


def _evaluate_array(scope: Scope, expr: Expression) -> Column:
    element = either_column(map(scope.evaluate_column, expr.children)).apply_step(TRANSFORMATION)
    return array_column(element, element.deps, NOTHING)


def _evaluate_arrays_zip(scope: Scope, expr: Expression) -> Column:
    """Evaluate ARRAYS_ZIP: structs of the elements at the same index."""
    arrays = [scope.evaluate_column(child) for child in expr.children]
    deps = scope.apply_step(TRANSFORMATION, expr.children)
    if len(expr.names) != len(arrays):
        return Column(deps)
    elements = (each.nested_value(ELEMENT).apply_step(TRANSFORMATION) for each in arrays)
    struct = nested_column(zip(expr.names, elements, strict=True), deps)
    return array_column(struct, deps, _longest_length(arrays))


def _longest_length(arrays: Iterable[Column]) -> Deps:
    return algebra.merge_deps(each.decides_length for each in arrays)


def _evaluate_flatten(scope: Scope, expr: Expression) -> Column:
    arrays = scope.evaluate_column(expr.children[0]).apply_step(TRANSFORMATION)
    if arrays.is_opaque:
        return arrays
    inner = arrays.nested_value(ELEMENT)
    return array_column(inner.nested_value(ELEMENT), arrays.deps, _longest_length([arrays, inner]))


def _evaluate_array_repeat(scope: Scope, expr: Expression) -> Column:
    element, count = expr.children
    deps = scope.apply_step(TRANSFORMATION, expr.children)
    value = scope.evaluate_column(element).apply_step(TRANSFORMATION)
    return array_column(value, deps, scope.apply_step(TRANSFORMATION, [count]))


def _same_elements(scope: Scope, expr: Expression) -> Column:
    """Evaluate an array of unchanged elements of the first argument."""
    values, *more = expr.children
    elements = scope.evaluate_column(values).apply_step(TRANSFORMATION)
    return elements.with_extra(scope.apply_step(TRANSFORMATION, more))


def _evaluate_set_operation(scope: Scope, expr: Expression) -> Column:
    """Evaluate an array of elements of the first argument that are, or are not, in the second."""
    values = _same_elements(scope, expr)
    if values.is_opaque:
        return values
    element = values.nested_value(ELEMENT)
    chosen = element.with_nested_extra(algebra.apply_step(FILTER, element.deps))
    return array_column(chosen, values.deps)


def _evaluate_concat(scope: Scope, expr: Expression) -> Column:
    """Evaluate the concatenation of arrays, maps or texts."""
    return either_column(map(scope.evaluate_column, expr.children)).apply_step(TRANSFORMATION)


def _evaluate_distinct(scope: Scope, expr: Expression) -> Column:
    return distinct_array(_evaluate_concat(scope, expr))


def _evaluate_insert(scope: Scope, expr: Expression) -> Column:
    """Evaluate an array with one more element, the last argument."""
    if len(expr.children) < 2:  # Spark has already replaced the function
        return scope.evaluate_column(expr.children[0])
    values, *places, element = expr.children
    old = scope.evaluate_column(values)
    if old.is_opaque:
        return Column(scope.apply_step(TRANSFORMATION, expr.children))
    both = either_column([old.nested_value(ELEMENT), scope.evaluate_column(element)]).apply_step(
        TRANSFORMATION
    )
    deps = algebra.apply_step(
        TRANSFORMATION, algebra.merge_deps([old.deps, scope.deps_of(element)])
    )
    inserted = array_column(both, deps, old.decides_length)
    return inserted.with_extra(scope.apply_step(TRANSFORMATION, places))


def _evaluate_sort(scope: Scope, expr: Expression) -> Column:
    values = scope.evaluate_column(expr.children[0])
    return in_order(values, expr.names or _array_fields(scope, expr.children[0])).apply_step(
        TRANSFORMATION
    )


def in_order(values: Column, names: tuple[str, ...]) -> Column:
    """Return an array with its elements sorted by their natural order."""
    if values.is_opaque:
        return values
    element = picked_by_order(values.nested_value(ELEMENT), names, SORT)
    return array_column(element, values.deps, values.decides_length)


def _evaluate_extreme(scope: Scope, expr: Expression) -> Column:
    """Evaluate ARRAY_MIN and ARRAY_MAX."""
    values = scope.evaluate_column(expr.children[0])
    names = expr.names or _array_fields(scope, expr.children[0])
    picked = picked_by_order(values.nested_value(ELEMENT), names, CONDITIONAL)
    return picked.apply_step(TRANSFORMATION)


def _evaluate_greatest(scope: Scope, expr: Expression) -> Column:
    """Evaluate GREATEST and LEAST: one of the values, chosen by comparison."""
    first = expr.children[0]
    names = expr.names or struct_fields(scope.plan.exprs[first].type or "")
    picked = picked_by_order(
        either_column(map(scope.evaluate_column, expr.children)), names, CONDITIONAL
    )
    return picked.apply_step(TRANSFORMATION)


def _array_fields(scope: Scope, index: int) -> tuple[str, ...]:
    """Return the fields of the structs in an array, if its type is known."""
    return element_fields(scope.plan.exprs[index].type or "")


def _evaluate_size(scope: Scope, expr: Expression) -> Column:
    values = scope.evaluate_column(expr.children[0])
    return Column(algebra.apply_step(TRANSFORMATION, values.decides_length))


def _evaluate_map(scope: Scope, expr: Expression) -> Column:
    """Evaluate CREATE_MAP: alternating keys and values."""
    keys, values = (
        either_column(map(scope.evaluate_column, expr.children[start::2])).apply_step(
            TRANSFORMATION
        )
        for start in (0, 1)
    )
    return nested_column(
        [(KEY, keys), (VALUE, values)], algebra.merge_deps([keys.deps, values.deps]), NOTHING
    )


def _map_of_arrays(scope: Scope, expr: Expression) -> Column:
    arrays = [scope.evaluate_column(child).apply_step(TRANSFORMATION) for child in expr.children]
    members = zip((KEY, VALUE), (each.nested_value(ELEMENT) for each in arrays), strict=False)
    deps = algebra.merge_deps(each.deps for each in arrays)
    return nested_column(members, deps, _longest_length(arrays))


def _map_of_entries(scope: Scope, expr: Expression) -> Column:
    entries = scope.evaluate_column(expr.children[0]).apply_step(TRANSFORMATION)
    entry = entries.nested_value(ELEMENT)
    names = _array_fields(scope, expr.children[0])
    if entry.members is not None and not entry.origin:
        names = tuple(entry.members)
    if len(names) != 2:
        return Column(entries.deps)
    members = zip((KEY, VALUE), map(entry.nested_value, names), strict=True)
    return nested_column(members, entries.deps, entries.decides_length)


def _evaluate_map_entries(scope: Scope, expr: Expression) -> Column:
    """Evaluate MAP_ENTRIES: structs of key and value."""
    pairs = scope.evaluate_column(expr.children[0]).apply_step(TRANSFORMATION)
    if pairs.is_opaque:
        return pairs
    entry = nested_column([(name, pairs.nested_value(name)) for name in (KEY, VALUE)], pairs.deps)
    return array_column(entry, pairs.deps, pairs.decides_length)


def _map_side(name: str) -> Callable[[Scope, Expression], Column]:
    """Build the rule of MAP_KEYS or MAP_VALUES."""

    def evaluate_side(scope: Scope, expr: Expression) -> Column:
        pairs = scope.evaluate_column(expr.children[0]).apply_step(TRANSFORMATION)
        if pairs.is_opaque:
            return pairs
        side, length = pairs.nested_value(name), pairs.decides_length
        return array_column(side, anchor_length(side, length, TRANSFORMATION).deps, length)

    return evaluate_side


def _evaluate_item(scope: Scope, expr: Expression) -> Column:
    """Evaluate one element of an array, or one value of a map."""
    if len(expr.children) == 1:
        return scope.evaluate_column(expr.children[0])  # Spark has already replaced the function
    container, *place = expr.children
    values = scope.evaluate_column(container)
    extra = scope.apply_step(TRANSFORMATION, place)
    if expr.cls == "GetMapValue" or _is_map(values, scope.plan.exprs[container].type):
        return _map_value(values).with_extra(extra)
    if expr.cls == "ElementAt" and not _is_array(values, scope.plan.exprs[container].type):
        values = Column(values.deps)
    element = values.nested_value(ELEMENT).apply_step(TRANSFORMATION)
    return anchor_length(element, values.decides_length, CONDITIONAL).with_extra(extra)


def _is_map(values: Column, data_type: str | None) -> bool:
    return VALUE in (values.members or ()) or (data_type or "").startswith("map<")


def _is_array(values: Column, data_type: str | None) -> bool:
    return ELEMENT in (values.members or ()) or (data_type or "").startswith("array<")


def _map_value(pairs: Column) -> Column:
    """Return the value of one key, which depends conditionally on all keys.

    For a map without members, the value as a whole depends on the whole map.
    """
    value = pairs.nested_value(VALUE).apply_step(TRANSFORMATION)
    keys = algebra.apply_step(CONDITIONAL, pairs._replace(extra=NOTHING).nested_value(KEY).deps)
    if pairs.members is not None:
        return value.with_extra(keys)
    whole = algebra.apply_step(TRANSFORMATION, pairs.deps)
    return value._replace(deps=whole).with_nested_extra(keys)


CONTAINERS: dict[str, Callable[[Scope, Expression], Column]] = {
    "ArrayAppend": _evaluate_insert,
    "ArrayCompact": _same_elements,
    "ArrayDistinct": _evaluate_distinct,
    "ArrayExcept": _evaluate_set_operation,
    "ArrayInsert": _evaluate_insert,
    "ArrayIntersect": _evaluate_set_operation,
    "ArrayMax": _evaluate_extreme,
    "ArrayMin": _evaluate_extreme,
    "ArrayPrepend": _evaluate_insert,
    "ArrayRemove": _evaluate_set_operation,
    "ArrayRepeat": _evaluate_array_repeat,
    "ArrayUnion": _evaluate_distinct,
    "ArraysZip": _evaluate_arrays_zip,
    "Concat": _evaluate_concat,
    "CreateArray": _evaluate_array,
    "CreateMap": _evaluate_map,
    "ElementAt": _evaluate_item,
    "Flatten": _evaluate_flatten,
    "Get": _evaluate_item,
    "Greatest": _evaluate_greatest,
    "GetArrayItem": _evaluate_item,
    "GetMapValue": _evaluate_item,
    "Least": _evaluate_greatest,
    "MapConcat": _evaluate_concat,
    "MapEntries": _evaluate_map_entries,
    "MapFromArrays": _map_of_arrays,
    "MapFromEntries": _map_of_entries,
    "MapKeys": _map_side(KEY),
    "MapValues": _map_side(VALUE),
    "Reverse": _same_elements,
    "Shuffle": _same_elements,
    "Size": _evaluate_size,
    "Slice": _same_elements,
    "SortArray": _evaluate_sort,
}
