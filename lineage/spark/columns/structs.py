"""Structs in expressions: made, taken apart, changed field by field, cast by position."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import TRANSFORMATION
from lineage.columns.relation import ELEMENT, Column, anchored, array, nested
from lineage.spark.document.data_types import nested_types

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.spark.columns.expressions import Scope
    from lineage.spark.document.plan import Expression


def _struct(scope: Scope, expr: Expression) -> Column:
    """A struct that is made: names and values in turn."""
    values = expr.children[1::2]
    members = zip(expr.names, map(scope.column, values), strict=False)
    return nested(members, scope.applied(TRANSFORMATION, values))


def _field(scope: Scope, expr: Expression) -> Column:
    return scope.column(expr.children[0]).member(expr.field or "")


def _field_of_each(scope: Scope, expr: Expression) -> Column:
    """The array of one field of the structs in an array."""
    structs = scope.column(expr.children[0])
    if structs.is_opaque:
        return structs
    field = structs.member(ELEMENT).member(expr.field or "")
    length = structs.decides_length
    return array(field, anchored(field, length, TRANSFORMATION).deps, length)


def _updated(scope: Scope, expr: Expression) -> Column:
    """``withField`` and ``dropFields``: the fields that are left, of which some are written anew.

    Two that are written under one name stand in order, and the last one counts.
    """
    struct, *changes = expr.children
    written = {
        change.field: change.children[0]
        for change in (scope.plan.exprs[index] for index in changes)
        if change.cls == "WithField"
    }
    if not expr.names or None in written:
        return Column(scope.applied(TRANSFORMATION, expr.children))
    old = scope.column(struct)
    members = {
        name: scope.column(written[name]) if name in written else old.member(name)
        for name in expr.names
    }
    deps = algebra.merged(member.deps for member in members.values())
    return nested(members.items(), algebra.applied(TRANSFORMATION, deps))


def _cast(scope: Scope, expr: Expression) -> Column:
    """A cast, which does nothing to what has the type already."""
    child = expr.children[0]
    source = scope.plan.exprs[child].type or expr.source_type
    return recast(scope.column(child), source, expr.type)


def recast(column: Column, source: str | None, target: str | None) -> Column:
    """Return a value of one type as another: nested values go by position, whatever their names."""
    if source and source == target:
        return column
    deps = algebra.applied(TRANSFORMATION, column.deps)
    outer, new = nested_types(target or "")
    if source:
        outer_before, old = nested_types(source)
    else:
        outer_before, old = outer, [(name, "") for name in _closed(column)]
    if column.is_opaque or outer != outer_before or not new or len(old) != len(new):
        return Column(deps, length=column.length)
    members = (
        (name, recast(column.member(old_name), old_type, new_type))
        for (old_name, old_type), (name, new_type) in zip(old, new, strict=True)
    )
    return nested(members, deps, column.length)


def _closed(column: Column) -> tuple[str, ...]:
    """The names of all nested values, where the column alone tells them."""
    return () if column.origin else tuple(column.members or ())


STRUCTS: dict[str, Callable[[Scope, Expression], Column]] = {
    "Cast": _cast,
    "CreateNamedStruct": _struct,
    "GetArrayStructFields": _field_of_each,
    "GetStructField": _field,
    "UpdateFields": _updated,
}
