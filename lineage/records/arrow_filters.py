"""Conditions as filters of pyarrow, which evaluates them as Spark does."""

from __future__ import annotations

import functools
import operator
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lineage.records.comparisons import Comparison, Value
    from lineage.records.identity_filters import IdentityCondition

_COMPARE = {
    "=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def filter_of(schema: Any, condition: IdentityCondition) -> Any:
    """Return a condition as an expression; None if it cannot be evaluated as Spark does."""
    each = [_compare_column(schema, column, condition.comparison) for column in condition.columns]
    return None if any(e is None for e in each) else functools.reduce(operator.or_, each)


def admits_nan(schema: Any, condition: IdentityCondition) -> bool:
    """Return whether NaN may meet a condition, which the statistics of Parquet ignore."""
    from pyarrow import types

    names = {column.lower() for column in condition.columns}
    kinds = [field.type for field in schema if field.name.lower() in names]
    return condition.comparison.operator in (">", ">=") and any(map(types.is_floating, kinds))


def _compare_column(schema: Any, column: str, comparison: Comparison) -> Any:
    from pyarrow import dataset as arrow
    from pyarrow import types

    names = [name for name in schema.names if name.lower() == column.lower()]
    if len(names) != 1:
        return None
    kind = schema.field(names[0]).type
    values = [_as_type(value, kind) for value in comparison.values]
    if any(value is None for value in values):
        return None
    # A literal would be rounded to the precision of the column, which Spark does not do.
    field = arrow.field(names[0])
    field = field.cast("float64") if types.is_floating(kind) else field
    compare = _COMPARE[comparison.operator]
    matches = functools.reduce(operator.or_, [compare(field, value) for value in values])
    if types.is_floating(kind) and comparison.operator in (">", ">="):
        matches = matches | _is_nan(field)  # in Spark it is greater than all numbers
    return matches


def _is_nan(field: Any) -> Any:
    from pyarrow import compute

    return compute.is_nan(field)


def _as_type(value: Value, kind: Any) -> Any:
    """Return the value for comparison with a column of Arrow's type; None if they differ in kind.

    Spark casts one of them then, by rules that depend on settings.
    """
    from pyarrow import types

    if types.is_boolean(kind):
        return value if isinstance(value, bool) else None
    if types.is_date(kind):
        return value if isinstance(value, date) else _date_of(value)
    if types.is_string(kind) or types.is_large_string(kind):
        return value if isinstance(value, str) else None
    if isinstance(value, bool | str | date):
        return None
    if types.is_floating(kind):
        return float(value)
    if types.is_integer(kind):
        whole = int(value) if isinstance(value, Decimal) and value == int(value) else value
        return whole if isinstance(whole, int) and _fits_integer(whole, kind) else None
    return _as_decimal(value, kind) if types.is_decimal(kind) else None


def _as_decimal(value: float | Decimal, kind: Any) -> Any:
    """Return the value with the scale of the column; None if that would change it."""
    import pyarrow

    if isinstance(value, float):
        return None
    try:
        return pyarrow.scalar(Decimal(value), type=kind)
    except pyarrow.ArrowInvalid:
        return None


def _date_of(value: Value) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _fits_integer(value: int, kind: Any) -> bool:
    return bool(-(2 ** (kind.bit_width - 1)) <= value < 2 ** (kind.bit_width - 1))
