"""Comparison of rows of two executions of a query."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lineage.records.predicates import RELATIVE_TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Iterable


def contains_rows(rows: Iterable[tuple[Any, ...]], expected: Iterable[tuple[Any, ...]]) -> bool:
    """Return whether each expected row is among the rows, as often as it is expected.

    Floating-point numbers may differ in their last bits, because another order of the same rows
    gives other sums.
    """
    remaining = list(rows)
    for row in expected:
        position = next((i for i, each in enumerate(remaining) if is_equal(each, row)), None)
        if position is None:
            return False
        del remaining[position]
    return True


def is_equal(one: Any, other: Any) -> bool:
    """Return whether two values of rows are equal up to the last bits of their numbers."""
    if isinstance(one, float) and isinstance(other, float):
        both_nan = math.isnan(one) and math.isnan(other)
        return both_nan or math.isclose(one, other, rel_tol=RELATIVE_TOLERANCE)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(is_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_equal(one[key], other[key]) for key in one)
    return bool(one == other)
