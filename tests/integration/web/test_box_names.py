"""The names in the boxes of a picture: nothing covers them, and both ends of long ones remain."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote
from uuid import UUID

import pytest
from playwright.sync_api import expect
from support.events.builders import dataset, run_event, schema, time
from support.web.picture import LAKE, box

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from support.fixtures.collectors import Collector

TABLES = [f"DWH.STAGING.FINANCE_MONTHLY_TRANSACTIONS_T{n:02}" for n in range(3)]
# The rectangles of the texts of a box and of its button: left, top, right, bottom.
PARTS = """
box => [...box.querySelectorAll(".title bdi, .change, .state, .columns-button")].map(part => {
  const range = document.createRange();
  range.selectNodeContents(part);
  const { left, top, right, bottom } = range.getBoundingClientRect();
  return [left, top, right, bottom];
})
"""


@pytest.fixture
def tables(collector: Collector) -> Collector:
    columns = schema(**{"W" * 40: "long"})
    for n, name in enumerate(TABLES):
        table = dataset(name, schema=columns)
        event = run_event(str(UUID(int=n)), "COMPLETE", 60 * n, f"load{n}", (table,), ("mart",))
        assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    return collector


def test_no_part_of_a_box_covers_another(page: Page, tables: Collector) -> None:
    page.goto(f"/graph?root={LAKE}mart&before={time(30)}")
    expect(box(page, TABLES[1])).to_contain_text("+ seen since")
    for each in page.locator(".box").all():
        right = each.evaluate("box => box.getBoundingClientRect().right")
        parts = each.evaluate(PARTS)
        assert len(parts) >= 3
        assert max(part[2] for part in parts) <= right
        for number, one in enumerate(parts):
            for other in parts[number + 1 :]:
                is_beside = one[2] <= other[0] + 0.5 or other[2] <= one[0] + 0.5
                is_below = one[3] <= other[1] + 4 or other[3] <= one[1] + 4  # of the line height
                assert is_beside or is_below, (one, other)


def test_long_names_differ_in_the_picture_and_its_export(page: Page, tables: Collector) -> None:
    page.goto(f"/graph?root={LAKE}mart")
    texts = [box(page, name).locator(".title bdi").first.inner_text() for name in TABLES]
    assert len(set(texts)) == len(TABLES)
    for text, name in zip(texts, TABLES, strict=True):
        start, end = text.split("\N{HORIZONTAL ELLIPSIS}")
        assert name.startswith(start)
        assert name.endswith(end)
    page.get_by_text("Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    page.goto(f"data:image/svg+xml,{quote(download.value.path().read_text())}")
    texts, frames = (
        page.locator(f"svg g > {part}").evaluate_all("all => all.map(each => each.getBBox().width)")
        for part in ("text", "rect")
    )
    assert len(texts) >= 3 * len(frames) > 0
    assert max(texts) <= min(frames)
