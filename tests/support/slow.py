"""Cases that only ``make test-slow`` runs, because ``make test`` runs others of their kind.

A case that starts a JVM, or Spark for several jobs, takes seconds. Of a family of such cases,
``make test`` has one for each path through our code, and ``make test-slow`` has the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from _pytest.mark import ParameterSet


def slow(*case: object) -> ParameterSet:
    """Mark a case as slow: it is similar to others."""
    return pytest.param(*case, marks=pytest.mark.slow)


def slow_except(names: Collection[str], cases: Iterable[Any]) -> list[Any]:
    """Mark all cases as slow except those with these names; a text is its own name."""
    by_name = {str(getattr(case, "name", case)): case for case in cases}
    missing = set(names) - set(by_name)
    assert not missing, f"there are no such cases: {missing}"
    return [case if name in names else slow(case) for name, case in by_name.items()]
