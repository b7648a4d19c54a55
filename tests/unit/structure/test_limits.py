"""Names, size and SQL of the source: within the recorded limits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.source import measures

if TYPE_CHECKING:
    from collections.abc import Callable

LINES = Path(__file__).with_name("limits.txt").read_text().splitlines()
LIMITS = {name: float(limit) for name, limit in (line.split() for line in LINES if line[0] != "#")}


@pytest.mark.parametrize("measure", measures.LISTS, ids=lambda measure: measure.__name__)
def test_there_are_no_more_than_the_limit(measure: Callable[[], list[str]]):
    limit = LIMITS[measure.__name__]
    counted = measure()
    assert len(counted) <= limit, "\n".join([f"{len(counted)}, not {limit}:", *counted])


@pytest.mark.parametrize("measure", measures.SHARES, ids=lambda measure: measure.__name__)
def test_the_share_is_not_above_the_limit(measure: Callable[[], float]):
    assert measure() <= LIMITS[measure.__name__]


def test_each_limit_has_a_measure():
    assert set(LIMITS) == {measure.__name__ for measure in (*measures.LISTS, *measures.SHARES)}
