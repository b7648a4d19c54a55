"""Filters of the explorer: what they remove is told, and no part of the page forgets them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import pytest
from playwright.sync_api import expect
from support.events.builders import dataset, run_event
from support.web.picture import LAKE, box

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from support.fixtures.collectors import Collector

PII = {"tags": [{"key": "pii"}]}
TABLES = 30
DASHBOARD = f"/graph?root={LAKE}web/dashboard&tag=pii"


@pytest.fixture
def tagged(collector: Collector) -> Collector:
    """Return a collector where orders feeds staging, which feeds 30 tables with the tag pii."""
    tables = tuple(dataset(f"marts/m{n:02}", tags=PII) for n in range(TABLES))
    for n, (reads, writes) in enumerate(((("orders",), ("staging",)), (("staging",), tables))):
        event = run_event(str(UUID(int=n)), "COMPLETE", n, f"job{n}", reads, writes)
        assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    return collector


@pytest.mark.parametrize(
    "times", ["", "&time=2026-03-08T00:00:00Z", "&before=2026-03-08T00:00:00Z"]
)
def test_collapsed_paths_are_visible_as_of_now_only(
    page: Page, airline: Collector, times: str
) -> None:
    page.goto(DASHBOARD + times)

    expect(page.locator(".list caption")).to_contain_text("3 nodes, 2 edges")
    expect(
        page.get_by_text("The picture is as of now. To see another time, remove")
    ).to_be_visible()
    expect(page.get_by_role("slider")).to_have_count(0)
    assert "time=" not in page.url
    assert "before=" not in page.url


def test_matching_datasets_beyond_filtered_ones_are_counted_and_can_be_added(
    page: Page, tagged: Collector
) -> None:
    page.goto(f"/graph?root={LAKE}orders&tag=pii")
    expect(page.locator(".list caption")).to_contain_text("25 nodes, 24 edges")
    expect(page.get_by_text("6 further datasets match.")).to_be_visible()
    page.get_by_role("button", name="Show more of them").click()

    expect(page.locator(".list caption")).to_contain_text("31 nodes, 30 edges")
    rows = page.locator(".list tbody th").all_inner_texts()
    assert {f"{LAKE}marts/m{n:02}" for n in range(TABLES)} < set(rows)
    expect(page.get_by_text("further datasets match")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("6 further datasets match.")).to_be_visible()


def test_lines_that_files_cannot_have_are_saved_as_pictures_only(
    page: Page, airline: Collector
) -> None:
    formats = page.locator(".export").get_by_role("button")
    for path in (DASHBOARD, f"/graph?root={LAKE}gold/delays&before=2026-03-03T00:00:00Z"):
        page.goto(path)
        expect(box(page, f"{LAKE}silver/flights")).to_be_visible()
        page.get_by_text("Export").click()
        expect(formats).to_have_text(["PNG", "SVG"])
        expect(
            page.get_by_text("Other formats have neither paths through filtered")
        ).to_be_visible()


def test_paths_through_filtered_datasets_have_no_job(page: Page, airline: Collector) -> None:
    page.goto(f"{DASHBOARD}&level=job")
    expect(page.get_by_text("2 paths through filtered datasets have no job.")).to_be_visible()
    command = page.locator(".elsewhere code")
    expect(command).to_contain_text("--tag pii")
    link = page.locator(".elsewhere").get_by_role("link", name="JSON")
    answer = page.request.get(link.get_attribute("href") or "").json()
    assert len(answer["collapsed_paths"]) == 2


def test_the_level_of_runs_has_no_filters(page: Page, airline: Collector) -> None:
    page.goto(f"/graph?root={LAKE}gold/delays&level=run&tag=pii&time=2026-03-08T00:00:00Z")
    expect(page.locator(".box")).to_have_count(7)
    expect(page.get_by_text("Filters do not apply to runs.")).to_be_visible()
    expect(page.get_by_role("button", name="Remove the filter tag: pii")).to_have_count(0)
    expect(page.get_by_text("As of 2026-03-08 00:00:00 UTC")).to_be_visible()
    page.get_by_role("link", name="Datasets", exact=True).click()
    expect(page.get_by_role("button", name="Remove the filter tag: pii")).to_be_visible()
    expect(page.locator(".box")).to_have_count(2)
