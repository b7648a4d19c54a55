"""Pictures of more boxes than the page lays out itself: a worker does."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from playwright.sync_api import expect
from support.events.builders import run_event
from support.web.picture import box

if TYPE_CHECKING:
    from conftest import Faults
    from playwright.sync_api import Locator, Page, Route
    from support.fixtures.collectors import Collector

ROOT = "s3://lake/hub"
READERS = 450
WORKER = "**/ui/worker-*.js"


@pytest.fixture
def large(collector: Collector, page: Page) -> Page:
    """Open the picture of a dataset with 450 readers, one of which has two of its own."""
    readers = tuple(f"mart/m{n:03}" for n in range(READERS))
    events = [
        run_event(str(UUID(int=1)), "COMPLETE", 1, "spread", ("hub",), readers),
        run_event(str(UUID(int=2)), "COMPLETE", 2, "pages", ("mart/m000",), ("web/p0", "web/p1")),
    ]
    assert collector.post("/api/v1/lineage/batch", f"[{','.join(events)}]").ok
    collector.drawn().close()
    page.goto(f"/graph?root={ROOT}")
    box(page, "hub").locator(".side.right").click(modifiers=["Shift"])
    expect(caption(page)).to_contain_text(f"{READERS + 1} nodes, {READERS} edges")
    return page


def caption(page: Page) -> Locator:
    return page.locator(".list caption")


def last_change(page: Page) -> Locator:
    return page.get_by_role("status", name="Last change")


def tidy(page: Page) -> None:
    page.get_by_role("button", name="Tidy").click()


def test_a_worker_lays_out_a_large_picture(large: Page):
    with large.expect_worker() as worker:
        tidy(large)
    expect(last_change(large)).to_have_text("Laid out anew.")

    assert "/ui/worker-" in worker.value.url
    expect(caption(large)).to_contain_text(f"{READERS + 1} nodes, {READERS} edges")
    tidy(large)  # by the same worker
    large.get_by_role("button", name="Undo").click()
    expect(last_change(large)).to_have_text("Undone.")
    assert len(large.workers) == 1


def test_changes_of_the_reader_during_a_layout_remain(large: Page):
    held: list[Route] = []
    large.route(WORKER, lambda route: held.append(route))
    tidy(large)
    expect(last_change(large)).to_have_text(f"Laying out {READERS + 1} datasets…")
    large.get_by_role("button", name="Undo").click()
    expect(caption(large)).to_contain_text("13 nodes, 12 edges")
    held[0].continue_()

    expect(last_change(large)).to_have_text("Laid out anew.")
    expect(caption(large)).to_contain_text("13 nodes, 12 edges")


def test_a_layout_that_ends_after_the_reader_has_left_changes_nothing(large: Page):
    held: list[Route] = []
    large.route(WORKER, lambda route: held.append(route))
    tidy(large)
    expect(last_change(large)).to_have_text(f"Laying out {READERS + 1} datasets…")
    large.get_by_role("link", name="Health").click()
    expect(large).to_have_url("/health")
    with large.expect_worker() as worker:
        held[0].continue_()
    worker.value.evaluate("new Promise((done) => setTimeout(done))")  # after the layout
    large.get_by_role("heading", name="Health").click()

    expect(large).to_have_url("/health")


def test_without_the_worker_the_page_lays_out_itself(large: Page, faults: Faults):
    large.route(WORKER, lambda route: route.abort())
    faults.expected.append("net::ERR_FAILED")
    tidy(large)

    expect(last_change(large)).to_have_text("Laid out anew.")


def test_the_table_has_the_first_rows_and_the_selected_one_until_all_are_requested(large: Page):
    rows = large.get_by_role("rowheader")
    expect(rows).to_have_count(200)
    box(large, "hub").locator(".title").focus()
    large.keyboard.press("ArrowRight")
    expect(large.locator(".list tr.chosen")).to_have_count(1)
    large.get_by_role("button", name=f"Show all {READERS + 1} nodes").click()
    expect(rows).to_have_count(READERS + 1)


def test_boxes_are_elements_near_the_screen_only_and_move_with_it(large: Page):
    assert 1 < large.locator(".box").count() < 100
    hub = box(large, "hub")
    before, place = hub.bounding_box(), hub.get_attribute("style")
    assert before is not None
    large.mouse.move(before["x"] - 20, before["y"] + 10)
    large.mouse.down()
    large.mouse.move(before["x"] + 17, before["y"] - 30)
    large.mouse.up()
    large.evaluate("new Promise(requestAnimationFrame)")  # the frame in which it moves
    after = hub.bounding_box()
    assert after is not None
    assert round(after["x"] - before["x"]) == 37
    assert round(after["y"] - before["y"]) == -40
    assert hub.get_attribute("style") == place

    large.get_by_role("button", name="Fit").click()
    expect(large.locator(".box")).to_have_count(0)  # too small for text


def test_all_neighbours_of_a_dataset_with_more_than_one_answer_has_are_added(
    page: Page, collector: Collector
):
    readers = tuple(f"mart/m{n:04}" for n in range(1010))
    event = run_event(str(UUID(int=1)), "COMPLETE", 1, "spread", ("hub",), readers)
    assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    page.goto(f"/graph?root={ROOT}")
    more = box(page, "hub").locator(".side.right")
    more.click(modifiers=["Shift"])
    expect(caption(page)).to_contain_text("1,001 nodes, 1,000 edges")
    expect(more).to_have_text("+10")
    more.click()

    expect(last_change(page)).to_have_text(f"10 datasets added downstream of {ROOT}.")
    expect(caption(page)).to_contain_text("1,011 nodes, 1,010 edges")
