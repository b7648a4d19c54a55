"""Settings of properties, whose examples share the fixtures of one test.

EXAMPLES_PERCENT is the share of examples that a run generates; ``make test-slow`` generates all.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    Test = TypeVar("Test", bound=Callable[..., None])

_PERCENT = int(os.environ.get("EXAMPLES_PERCENT", "10"))
# Generation begins with the simplest values: fewer examples would have little else.
_LEAST = 8

# Each example also takes seconds, because Spark runs or all events of the demo are written.
SLOW_EXAMPLES = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def slow_examples(number: int) -> Callable[[Test], Test]:
    """Return a decorator of properties: at least two of ``number`` examples that take seconds."""
    share = max(number * _PERCENT // 100, min(number, 2))
    generated = settings(SLOW_EXAMPLES, max_examples=share)
    return lambda test: pytest.mark.sampled(generated(test))


def examples_in_one_database(
    number: int, unchecked: Collection[HealthCheck] = ()
) -> Callable[[Test], Test]:
    """Return a decorator of properties: a share of ``number`` examples in the test's database.

    Each example empties the database, or writes what it needs anew. ``unchecked`` are health checks
    that the strategies of the property do not pass.
    """
    share = max(number * _PERCENT // 100, min(number, _LEAST))
    generated = settings(
        max_examples=share,
        suppress_health_check=[HealthCheck.function_scoped_fixture, *unchecked],
    )
    return lambda test: pytest.mark.sampled(generated(test))
