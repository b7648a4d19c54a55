"""Pages on paper, which does not scroll."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from support.events.builders import run_event
from support.web.answers import wait_for_answers
from support.web.picture import LAKE

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from support.fixtures.collectors import Collector

RUN = "aaaaaaaa-0000-4000-8000-000000000001"
ERROR = {"message": "TableNotFoundException: " + "the table is gone " * 8}
CUT = """
() => [...document.querySelectorAll("table, th, td, th *, td *")]
  .filter(part => part.getBoundingClientRect().right > innerWidth)
  .map(part => part.textContent)
"""


@pytest.mark.parametrize("path", ["/dataset?name=daily/sales", f"/graph?root={LAKE}daily/sales"])
def test_a_table_has_all_its_columns_on_paper(page: Page, collector: Collector, path: str) -> None:
    event = run_event(
        RUN, "FAIL", 9, "a_job_of_a_long_name.load_the_sales_of_a_day", ("raw/sales",),
        ("daily/sales",), errorMessage=ERROR,
    )  # fmt: skip
    assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    page.set_viewport_size({"width": 700, "height": 1000})
    page.emulate_media(media="print")
    page.goto(path)
    expect(page.get_by_role("table").last).to_be_visible()
    wait_for_answers(page)
    assert page.evaluate(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.get_by_role("button", name="Copy link")).to_be_hidden()
    expect(page.get_by_label("As of", exact=True)).to_be_hidden()
