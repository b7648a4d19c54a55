"""The picture of the explorer: its boxes and their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

LAKE = "s3://lake/"


def box(page: Page, name: str) -> Locator:
    """Return the box of a name; that of a dataset may be relative to the lake."""
    return page.locator(f'.box:is([data-name="{name}"], [data-name="{LAKE}{name}"])')


def shown(page: Page) -> set[str]:
    """Return the names of the boxes, relative to the lake."""
    names = page.locator(".box").evaluate_all("boxes => boxes.map(box => box.dataset.name)")
    return {name.removeprefix(LAKE) for name in names}


def places(page: Page) -> dict[str, tuple[str, str]]:
    """Return left and top of each box, as they are in the picture."""
    script = "boxes => boxes.map(box => [box.dataset.name, box.style.left, box.style.top])"
    return {name: (left, top) for name, left, top in page.locator(".box").evaluate_all(script)}
