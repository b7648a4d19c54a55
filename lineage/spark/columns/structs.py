"""Column rules for structs: creation, field access, field updates and casts by position."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import TRANSFORMATION
from lineage.columns.relation import ELEMENT, Column, anchor_length, array_column, nested_column
from lineage.spark.document.data_types import nested_types

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.spark.columns.expressions import Scope
    from lineage.spark.document.plan import Expression


def _evaluate_struct(scope: Scope, expr: Expression) -> Column:
    """Evaluate CREATE_NAMED_STRUCT: alternating names and values."""
    values = expr.children[1::2]
    members = zip(expr.names, map(scope.evaluate_column, values), strict=False)
    return nested_column(members, scope.apply_step(TRANSFORMATION, values))


def _evaluate_field(scope: Scope, expr: Expression) -> Column:
    return scope.evaluate_column(expr.children[0]).nested_value(expr.field or "")


def _field_of_each(scope: Scope, expr: Expression) -> Column:
    """Evaluate an array of one field of the structs in an array."""
    structs = scope.evaluate_column(expr.children[0])
    if structs.is_opaque:
        return structs
    field = structs.nested_value(ELEMENT).nested_value(expr.field or "")
    length = structs.decides_length
    return array_column(field, anchor_length(field, length, TRANSFORMATION).deps, length)


def _evaluate_update_fields(scope: Scope, expr: Expression) -> Column:
    """Evaluate ``withField`` and ``dropFields``: the remaining fields, some with new values.

    If several values are written under one name, the last one is used.
    """
    struct, *changes = expr.children
    written = {
        change.field: change.children[0]
        for change in (scope.plan.exprs[index] for index in changes)
        if change.cls == "WithField"
    }
    if not expr.names or None in written:
        return Column(scope.apply_step(TRANSFORMATION, expr.children))
    old = scope.evaluate_column(struct)
    members = {
        name: scope.evaluate_column(written[name]) if name in written else old.nested_value(name)
        for name in expr.names
    }
    deps = algebra.merge_deps(member.deps for member in members.values())
    return nested_column(members.items(), algebra.apply_step(TRANSFORMATION, deps))


def _evaluate_cast(scope: Scope, expr: Expression) -> Column:
    """Evaluate a cast; it has no effect on a value that already has the type."""
    child = expr.children[0]
    source = scope.plan.exprs[child].type or expr.source_type
    return cast_column(scope.evaluate_column(child), source, expr.type)


def cast_column(column: Column, source: str | None, target: str | None) -> Column:
    """Cast a value to another type; nested values are matched by position, not by name."""
    if source and source == target:
        return column
    deps = algebra.apply_step(TRANSFORMATION, column.deps)
    outer, new = nested_types(target or "")
    if source:
        outer_before, old = nested_types(source)
    else:
        outer_before, old = outer, [(name, "") for name in _complete_names(column)]
    if column.is_opaque or outer != outer_before or not new or len(old) != len(new):
        return Column(deps, length=column.length)
    members = (
        (name, cast_column(column.nested_value(old_name), old_type, new_type))
        for (old_name, old_type), (name, new_type) in zip(old, new, strict=True)
    )
    return nested_column(members, deps, column.length)


def _complete_names(column: Column) -> tuple[str, ...]:
    """Return the names of all nested values, if the column alone determines them."""
    return () if column.origin else tuple(column.members or ())


STRUCTS: dict[str, Callable[[Scope, Expression], Column]] = {
    "Cast": _evaluate_cast,
    "CreateNamedStruct": _evaluate_struct,
    "GetArrayStructFields": _field_of_each,
    "GetStructField": _evaluate_field,
    "UpdateFields": _evaluate_update_fields,
}
