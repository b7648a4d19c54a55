"""Groups of items that are limited in size and number."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Item = TypeVar("Item")


def take_group(
    items: Iterable[tuple[Item, int]], size: int, count: int | None = None
) -> Iterator[Item]:
    """Yield items, given with their sizes, until they have ``size`` in total or are ``count``.

    No item is read after the last one of the group, which may exceed ``size``.
    """
    total = 0
    for number, (item, item_size) in enumerate(items, start=1):
        yield item
        total += item_size
        if total >= size or number == count:
            return


def group_by_size(
    items: Iterable[tuple[Item, int]], size: int, count: int | None = None
) -> Iterator[list[Item]]:
    """Yield items, given with their sizes, in the groups of ``take_group``."""
    rest = iter(items)
    while group := list(take_group(rest, size, count)):
        yield group
