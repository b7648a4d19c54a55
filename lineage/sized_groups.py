"""Groups of items that are limited in size and number."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Item = TypeVar("Item")


def group_by_size(
    items: Iterable[tuple[Item, int]], size: int, count: int | None = None
) -> Iterator[list[Item]]:
    """Yield items, given with their sizes, in groups of ``size`` in total or of ``count`` items.

    A group ends with the item with which it reaches one of them, so it may exceed ``size``.
    """
    group: list[Item] = []
    total = 0
    for item, item_size in items:
        group.append(item)
        total += item_size
        if total >= size or len(group) == count:
            yield group
            group, total = [], 0
    if group:
        yield group
