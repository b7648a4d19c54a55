"""Arrays and maps in expressions: made, put together, and taken out of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import CONDITIONAL, FILTER, NOTHING, SORT, TRANSFORMATION
from lineage.columns.relation import ELEMENT, KEY, VALUE, Column, anchored, array, either, nested
from lineage.spark.columns.aggregates import distinct, picked_by_order
from lineage.spark.document.data_types import element_fields, struct_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lineage.columns.algebra import Deps
    from lineage.spark.columns.expressions import Scope
    from lineage.spark.document.plan import Expression


def _array(scope: Scope, expr: Expression) -> Column:
    element = either(map(scope.column, expr.children)).applied(TRANSFORMATION)
    return array(element, element.deps, NOTHING)


def _zipped(scope: Scope, expr: Expression) -> Column:
    """ARRAYS_ZIP: structs of the elements at the same place."""
    arrays = [scope.column(child) for child in expr.children]
    deps = scope.applied(TRANSFORMATION, expr.children)
    if len(expr.names) != len(arrays):
        return Column(deps)
    elements = (each.member(ELEMENT).applied(TRANSFORMATION) for each in arrays)
    struct = nested(zip(expr.names, elements, strict=True), deps)
    return array(struct, deps, _longest(arrays))


def _longest(arrays: Iterable[Column]) -> Deps:
    return algebra.merged(each.decides_length for each in arrays)


def _flattened(scope: Scope, expr: Expression) -> Column:
    arrays = scope.column(expr.children[0]).applied(TRANSFORMATION)
    if arrays.is_opaque:
        return arrays
    inner = arrays.member(ELEMENT)
    return array(inner.member(ELEMENT), arrays.deps, _longest([arrays, inner]))


def _repeated(scope: Scope, expr: Expression) -> Column:
    element, count = expr.children
    deps = scope.applied(TRANSFORMATION, expr.children)
    value = scope.column(element).applied(TRANSFORMATION)
    return array(value, deps, scope.applied(TRANSFORMATION, [count]))


def _same_elements(scope: Scope, expr: Expression) -> Column:
    """An array with elements of the first argument, as they were."""
    values, *more = expr.children
    elements = scope.column(values).applied(TRANSFORMATION)
    return elements.besides(scope.applied(TRANSFORMATION, more))


def _compared(scope: Scope, expr: Expression) -> Column:
    """An array with those elements of the first argument that are, or are not, in the second."""
    values = _same_elements(scope, expr)
    if values.is_opaque:
        return values
    element = values.member(ELEMENT)
    chosen = element.nested_besides(algebra.applied(FILTER, element.deps))
    return array(chosen, values.deps)


def _joined(scope: Scope, expr: Expression) -> Column:
    """Arrays, maps or texts one after the other."""
    return either(map(scope.column, expr.children)).applied(TRANSFORMATION)


def _distinct(scope: Scope, expr: Expression) -> Column:
    return distinct(_joined(scope, expr))


def _inserted(scope: Scope, expr: Expression) -> Column:
    """An array with one more element, its last argument; Spark may have replaced it already."""
    if len(expr.children) < 2:
        return scope.column(expr.children[0])
    values, *places, element = expr.children
    old = scope.column(values)
    if old.is_opaque:
        return Column(scope.applied(TRANSFORMATION, expr.children))
    both = either([old.member(ELEMENT), scope.column(element)]).applied(TRANSFORMATION)
    deps = algebra.applied(TRANSFORMATION, algebra.merged([old.deps, scope.deps(element)]))
    made = array(both, deps, old.decides_length)
    return made.besides(scope.applied(TRANSFORMATION, places))


def _sorted(scope: Scope, expr: Expression) -> Column:
    values = scope.column(expr.children[0])
    return in_order(values, expr.names or _fields(scope, expr.children[0])).applied(TRANSFORMATION)


def in_order(values: Column, names: tuple[str, ...]) -> Column:
    """Return an array whose elements are put in their own order."""
    if values.is_opaque:
        return values
    element = picked_by_order(values.member(ELEMENT), names, SORT)
    return array(element, values.deps, values.decides_length)


def _extreme(scope: Scope, expr: Expression) -> Column:
    """ARRAY_MIN and ARRAY_MAX."""
    values = scope.column(expr.children[0])
    names = expr.names or _fields(scope, expr.children[0])
    picked = picked_by_order(values.member(ELEMENT), names, CONDITIONAL)
    return picked.applied(TRANSFORMATION)


def _greatest(scope: Scope, expr: Expression) -> Column:
    """GREATEST and LEAST: one of the values, which are compared."""
    first = expr.children[0]
    names = expr.names or struct_fields(scope.plan.exprs[first].type or "")
    picked = picked_by_order(either(map(scope.column, expr.children)), names, CONDITIONAL)
    return picked.applied(TRANSFORMATION)


def _fields(scope: Scope, index: int) -> tuple[str, ...]:
    """The fields of the structs in an array, where its type is known."""
    return element_fields(scope.plan.exprs[index].type or "")


def _size(scope: Scope, expr: Expression) -> Column:
    values = scope.column(expr.children[0])
    return Column(algebra.applied(TRANSFORMATION, values.decides_length))


def _map(scope: Scope, expr: Expression) -> Column:
    """A map that is made: keys and values in turn."""
    keys, values = (
        either(map(scope.column, expr.children[start::2])).applied(TRANSFORMATION)
        for start in (0, 1)
    )
    return nested([(KEY, keys), (VALUE, values)], algebra.merged([keys.deps, values.deps]), NOTHING)


def _map_of_arrays(scope: Scope, expr: Expression) -> Column:
    arrays = [scope.column(child).applied(TRANSFORMATION) for child in expr.children]
    members = zip((KEY, VALUE), (each.member(ELEMENT) for each in arrays), strict=False)
    deps = algebra.merged(each.deps for each in arrays)
    return nested(members, deps, _longest(arrays))


def _map_of_entries(scope: Scope, expr: Expression) -> Column:
    entries = scope.column(expr.children[0]).applied(TRANSFORMATION)
    entry = entries.member(ELEMENT)
    names = _fields(scope, expr.children[0])
    if entry.members is not None and not entry.origin:
        names = tuple(entry.members)
    if len(names) != 2:
        return Column(entries.deps)
    members = zip((KEY, VALUE), map(entry.member, names), strict=True)
    return nested(members, entries.deps, entries.decides_length)


def _entries(scope: Scope, expr: Expression) -> Column:
    """MAP_ENTRIES: structs of key and value."""
    pairs = scope.column(expr.children[0]).applied(TRANSFORMATION)
    if pairs.is_opaque:
        return pairs
    entry = nested([(name, pairs.member(name)) for name in (KEY, VALUE)], pairs.deps)
    return array(entry, pairs.deps, pairs.decides_length)


def _side(name: str) -> Callable[[Scope, Expression], Column]:
    """MAP_KEYS or MAP_VALUES."""

    def rule(scope: Scope, expr: Expression) -> Column:
        pairs = scope.column(expr.children[0]).applied(TRANSFORMATION)
        if pairs.is_opaque:
            return pairs
        side, length = pairs.member(name), pairs.decides_length
        return array(side, anchored(side, length, TRANSFORMATION).deps, length)

    return rule


def _item(scope: Scope, expr: Expression) -> Column:
    """One element of an array, or one value of a map."""
    if len(expr.children) == 1:
        return scope.column(expr.children[0])  # Spark has replaced it already
    container, *place = expr.children
    values = scope.column(container)
    besides = scope.applied(TRANSFORMATION, place)
    if expr.cls == "GetMapValue" or _is_map(values, scope.plan.exprs[container].type):
        return _value(values).besides(besides)
    if expr.cls == "ElementAt" and not _is_array(values, scope.plan.exprs[container].type):
        values = Column(values.deps)
    element = values.member(ELEMENT).applied(TRANSFORMATION)
    return anchored(element, values.decides_length, CONDITIONAL).besides(besides)


def _is_map(values: Column, data_type: str | None) -> bool:
    return VALUE in (values.members or ()) or (data_type or "").startswith("map<")


def _is_array(values: Column, data_type: str | None) -> bool:
    return ELEMENT in (values.members or ()) or (data_type or "").startswith("array<")


def _value(pairs: Column) -> Column:
    """The value of one key: all keys decide which. As a whole, that of a column is the map's."""
    value = pairs.member(VALUE).applied(TRANSFORMATION)
    keys = algebra.applied(CONDITIONAL, pairs._replace(extra=NOTHING).member(KEY).deps)
    if pairs.members is not None:
        return value.besides(keys)
    whole = algebra.applied(TRANSFORMATION, pairs.deps)
    return value._replace(deps=whole).nested_besides(keys)


CONTAINERS: dict[str, Callable[[Scope, Expression], Column]] = {
    "ArrayAppend": _inserted,
    "ArrayCompact": _same_elements,
    "ArrayDistinct": _distinct,
    "ArrayExcept": _compared,
    "ArrayInsert": _inserted,
    "ArrayIntersect": _compared,
    "ArrayMax": _extreme,
    "ArrayMin": _extreme,
    "ArrayPrepend": _inserted,
    "ArrayRemove": _compared,
    "ArrayRepeat": _repeated,
    "ArrayUnion": _distinct,
    "ArraysZip": _zipped,
    "Concat": _joined,
    "CreateArray": _array,
    "CreateMap": _map,
    "ElementAt": _item,
    "Flatten": _flattened,
    "Get": _item,
    "Greatest": _greatest,
    "GetArrayItem": _item,
    "GetMapValue": _item,
    "Least": _greatest,
    "MapConcat": _joined,
    "MapEntries": _entries,
    "MapFromArrays": _map_of_arrays,
    "MapFromEntries": _map_of_entries,
    "MapKeys": _side(KEY),
    "MapValues": _side(VALUE),
    "Reverse": _same_elements,
    "Shuffle": _same_elements,
    "Size": _size,
    "Slice": _same_elements,
    "SortArray": _sorted,
}
