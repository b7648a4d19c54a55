"""The pages of the order of jobs and of the sources that matter, compared with the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from support.events.builders import dataset, job_event, run_event
from support.services.command_line import answer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playwright.sync_api import Locator, Page
    from support.fixtures.collectors import Collector
    from web.conftest import Faults


def send_events(collector: Collector, events: Iterable[str]) -> None:
    for event in events:
        assert collector.post("/api/v1/lineage", event).status_code == 201
    collector.drawn().close()


def run_of(number: int, at: int, job: str, reads: object, writes: object) -> Iterable[str]:
    """Yield the start of a run and its end ``at`` seconds, each run ``number`` seconds long."""
    run = f"{number:08}-0000-4000-8000-000000000000"
    yield run_event(run, "START", at - number, job, reads, writes)
    yield run_event(run, "COMPLETE", at, job, reads, writes)


@pytest.fixture
def shop(collector: Collector) -> Collector:
    """Return a collector with load (9 s, then 8 s) and rates (4 s) before report (3 s).

    load ran again after report. No run of publish, which comes after report, is in the log.
    """
    send_events(
        collector,
        [
            *run_of(9, 10, "load", ("raw",), ("orders",)),
            *run_of(4, 12, "rates", ("feed",), ("eur",)),
            *run_of(3, 20, "report", ("orders", "eur"), ("revenue",)),
            *run_of(8, 40, "load", ("raw",), ("orders",)),
            job_event(50, "publish", ("revenue",), ("site",)),
        ],
    )
    return collector


@pytest.fixture
def cycle(collector: Collector) -> Collector:
    """Return a collector whose jobs load and score each read what the other writes."""
    send_events(
        collector,
        [
            *run_of(1, 10, "load", ("scores",), ("queue",)),
            *run_of(2, 20, "score", ("queue",), ("scores",)),
        ],
    )
    return collector


def jobs_table(page: Page) -> Locator:
    return page.get_by_role("table", name="Jobs, those of one level")


def test_jobs_stand_on_the_levels_of_the_command(page: Page, shop: Collector):
    page.goto("/order")

    rows = jobs_table(page).locator("tbody tr")
    expect(rows).to_have_count(4)
    shown = {(row.locator("td").nth(0).inner_text(), row.get_by_role("button").inner_text())
             for row in rows.all()}  # fmt: skip
    assert shown == {
        ("0", "etl/load"), ("0", "etl/rates"), ("1", "etl/report"), ("2", "etl/publish"),
    }  # fmt: skip
    plan = json.loads(answer("plan", "--format", "json", "--dsn", shop.dsn))
    assert shown == {(str(each["level"]), each["job"]) for each in plan["jobs"]}
    # A box of each level is right of those of the level before.
    boxes = page.get_by_role("list", name="Jobs in the picture")
    lefts = [
        boxes.locator(f"[data-name='etl/{name}']").bounding_box()
        for name in ("load", "rates", "report", "publish")
    ]
    load, rates, report, publish = (box["x"] for box in lefts if box is not None)
    assert load == rates < report < publish


def test_the_critical_path_has_the_longest_runs(page: Page, shop: Collector):
    page.goto("/order?name=revenue")

    path = page.locator("dl .chain")
    expect(path.get_by_role("link")).to_have_text(["etl/load", "etl/report"])
    marked = jobs_table(page).get_by_role("row").filter(has_text="critical path")
    expect(marked).to_have_count(2)
    rates = jobs_table(page).get_by_role("row").filter(has_text="etl/rates")
    expect(rates).to_contain_text("4.5 s")  # load takes 8.5 s by its median, and rates 4 s


def test_what_only_a_design_shows_is_marked_and_can_be_left_out(page: Page, shop: Collector):
    page.goto("/order")
    publish = jobs_table(page).get_by_role("row").filter(has_text="etl/publish")
    expect(publish).to_contain_text("only declared")
    publish.get_by_role("button").click()

    chosen = page.get_by_role("region", name="Chosen job")
    reason = chosen.get_by_role("row").filter(has_text="s3://lake/revenue")
    expect(reason).to_contain_text("etl/report")
    expect(reason).to_contain_text("a design")
    page.get_by_text("Lines", exact=True).click()
    expect(page.locator(".legend")).to_contain_text("declared by a design, no run showed it")

    page.get_by_role("link", name="Without designs").click()
    expect(jobs_table(page).locator("tbody tr")).to_have_count(3)
    expect(jobs_table(page)).not_to_contain_text("etl/publish")


def test_stale_jobs_have_the_reason(page: Page, shop: Collector):
    page.goto("/order?stale=true&observed=true")

    rows = jobs_table(page).locator("tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("etl/report")
    expect(rows).to_contain_text("s3://lake/orders was written at")
    expect(rows).to_contain_text("etl/load")


def test_nothing_to_run_again_is_reported(page: Page, shop: Collector):
    page.goto("/order?name=etl/load&stale=true")

    expect(page.get_by_text("No job must run again.")).to_be_visible()


def test_a_graph_without_events_says_so(page: Page, collector: Collector, faults: Faults):
    faults.expected.append("404")
    page.goto("/order")

    expect(page.get_by_role("alert")).to_be_visible()


def test_arrow_keys_go_along_the_order(page: Page, shop: Collector):
    page.goto("/order?name=site")
    boxes = page.get_by_role("list", name="Jobs in the picture")
    boxes.locator("[data-name='etl/rates'] .title").focus()
    for name in ("report", "publish"):
        page.keyboard.press("ArrowRight")
        expect(boxes.locator(f"[data-name='etl/{name}'] .title")).to_be_focused()
    expect(page.get_by_role("region", name="Chosen job")).to_contain_text("etl/publish")


def test_a_form_asks_for_a_dataset_and_for_jobs_at_once(page: Page, shop: Collector):
    page.goto("/order?observed=true")
    page.get_by_label("Dataset or job").fill("revenue")
    page.get_by_label("Jobs at once").fill("1")
    page.get_by_role("button", name="Show order").click()

    expect(jobs_table(page)).to_contain_text("Starts after")
    expect(page.get_by_text("1 job at once")).to_be_visible()
    asked = "name=revenue&direction=upstream&observed=true&workers=1"
    expect(page).to_have_url(f"{shop.url}/order?{asked}")


def test_a_cycle_is_listed_with_its_datasets_and_a_remedy(page: Page, cycle: Collector):
    page.goto("/order")

    way = page.get_by_role("status").filter(has_text="There is no order: 1 cycle")
    expect(way.get_by_role("listitem")).to_have_count(2)
    expect(way).to_contain_text("s3://lake/queue")
    expect(way).to_contain_text("s3://lake/scores")
    expect(page.get_by_role("term").filter(has_text="Critical path")).to_have_count(0)
    way.get_by_role("link", name="take s3://lake/scores as feedback").click()

    expect(page.get_by_role("status").filter(has_text="There is no order")).to_have_count(0)
    levels = jobs_table(page).locator("tbody tr")
    expect(levels.nth(0)).to_contain_text("etl/load")
    expect(levels.nth(1)).to_contain_text("etl/score")
    page.get_by_role("link", name="Feedback: s3://lake/scores").click()
    expect(page.get_by_role("status").filter(has_text="There is no order")).to_be_visible()


def test_sources_are_those_of_the_command(page: Page, shop: Collector):
    page.goto("/impact?dataset=raw")
    page.get_by_role("link", name="Sources that matter").click()

    rows = page.get_by_role("table", name="Sources").locator("tbody tr")
    expect(rows).to_have_count(2)
    ranking = json.loads(answer("sources", "--format", "json", "--dsn", shop.dsn))
    shown = [row.get_by_role("link").first.inner_text() for row in rows.all()]
    assert shown == [each["source"] for each in ranking]
    assert set(shown) == {"s3://lake/feed", "s3://lake/raw"}


def test_a_product_of_one_source_alone_is_named(page: Page, collector: Collector):
    """Check that gold, which depends on raw alone, is named; mixed depends on raw and feed."""
    cost = {"tags": [{"key": "cost", "value": "1200"}]}
    send_events(
        collector,
        [
            *run_of(1, 10, "clean", (dataset("raw", tags=cost),), ("gold",)),
            *run_of(2, 20, "mix", ("raw", "feed"), ("mixed",)),
        ],
    )
    page.goto("/sources")

    raw = page.get_by_role("row").filter(has_text="s3://lake/raw")
    cells = raw.get_by_role("cell")
    expect(cells.nth(1)).to_have_text("2")
    expect(cells.nth(2).get_by_role("link")).to_have_text(["s3://lake/gold"])
    expect(raw).to_contain_text("1,200")
    feed = page.get_by_role("row").filter(has_text="s3://lake/feed")
    expect(feed.get_by_role("cell").nth(2)).to_have_text("—")
    page.get_by_role("textbox", name="Products").fill("*/mixed")
    page.get_by_role("button", name="Show sources").click()
    expect(raw.get_by_role("cell").nth(1)).to_have_text("1")
