"""Groups of items that are limited in size and number."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lineage.sized_groups import group_by_size

SIZES = st.lists(st.integers(0, 9))
COUNTS = st.none() | st.integers(1, 5)


@given(SIZES, st.integers(1, 12), COUNTS)
def test_each_group_but_the_last_ends_with_the_item_that_reaches_a_limit(
    items: list[int], size: int, count: int | None
) -> None:
    groups = list(group_by_size([(item, item) for item in items], size, count))

    assert [item for group in groups for item in group] == items
    assert all(groups)
    for group in groups:
        before = group[:-1]
        assert sum(before) < size
        assert count is None or len(before) < count
    for group in groups[:-1]:
        assert sum(group) >= size or len(group) == count
