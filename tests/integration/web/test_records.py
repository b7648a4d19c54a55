"""Saved traces of rows, and recorded items of runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import psycopg
import pytest
from playwright.sync_api import expect
from support.events.builders import run_event
from support.events.record_facts import halve_items
from support.web.answers import wait_for_answers

from lineage.ingest.writer import write_events
from lineage.records.fidelity import Fidelity
from lineage.records.trace_writer import ContributingRows, TraceResult, save_trace

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from support.fixtures.collectors import Collector

RUN, EMPTY = "3c1d8a52-9f0e-4a53-8a9d-2f2f6f0f8a11", "5e2d8a52-9f0e-4a53-8a9d-2f2f6f0f8a11"
FILE = "s3://lake/silver/orders/part-0.parquet"


@pytest.fixture
def shop(collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Collector:
    """Return a collector with raw -> silver -> gold, and runs of its last job."""
    monkeypatch.setenv("LINEAGE_HOME", str(tmp_path / "home"))
    events = [
        run_event("load-1", "COMPLETE", 1, "load", ("raw",), ("silver/orders",)),
        *(
            run_event(run, "COMPLETE", at, "sum", ("silver/orders", "names"), ("gold/spent",))
            for at, run in enumerate((RUN, EMPTY), start=2)
        ),
    ]
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        write_events(conn, events)
    return collector


def save(collector: Collector, *, values: bool = False) -> str:
    """Save a trace of two rows: of 70 orders and a name, and of a row of raw before."""
    orders = [{"id": n, "_file": FILE, "_row_index": n} for n in range(70)]
    sources = [
        ContributingRows(1, "gold/spent", "silver/orders", 170, orders),
        ContributingRows(1, "gold/spent", "names", 1, [{"name": "Ada"}]),
        ContributingRows(2, "silver/orders", "raw", 900, [{"id": 7}]),
    ]
    result = TraceResult(
        "gold/spent", "name = 'Ada'", ["name"], "live", Fidelity.SUPERSET, ["limit:ties"], 2,
        sources, run=RUN, reproduced=True, values=[{"name": "Ada", "spent": 18}],
    )  # fmt: skip
    return save_trace(result, collector.dsn, with_values=values)


def test_a_dataset_leads_to_its_saved_traces(page: Page, shop: Collector) -> None:
    saved = save(shop)
    page.goto("/dataset?name=gold/spent")
    table = page.get_by_role("table", name="Saved traces, newest first")
    row = table.get_by_role("row").nth(1)
    expect(row).to_contain_text("superset")
    expect(row).to_contain_text("1,071")  # rows of all sources
    row.get_by_role("link", name="2 rows by name").click()
    expect(page).to_have_url(f"{shop.url}/record?trace={saved}")
    expect(page.get_by_role("heading", level=1)).to_have_text("2 rows of s3://lake/gold/spent")


def test_a_dataset_without_traces_has_no_list_of_them(page: Page, shop: Collector) -> None:
    page.goto("/dataset?name=names")
    wait_for_answers(page)
    expect(page.get_by_text("Saved traces")).to_have_count(0)


def test_a_trace_is_a_picture_and_a_table(page: Page, shop: Collector) -> None:
    saved = save(shop)
    page.goto(f"/record?trace={saved}")
    text = "superset: All contributing rows are among those below, possibly with others."
    expect(page.get_by_role("paragraph").filter(has_text="superset")).to_have_text(text)
    expect(page.get_by_role("list", name="Reasons")).to_have_text("limit:ties")
    counts = page.get_by_role("table", name="Contributing rows by source").get_by_role("row")
    expect(counts.nth(1)).to_contain_text("s3://lake/silver/orders")
    expect(counts.nth(1).get_by_role("cell").nth(3)).to_have_text("170")
    expect(counts.nth(1).get_by_role("cell").nth(4)).to_have_text("50")

    page.get_by_role("button", name="Fit").click()
    for _ in range(8):
        page.get_by_role("button", name="Zoom in").click()
    picture = page.get_by_role("list", name="Rows in the picture")
    root = picture.get_by_role("button", name="2 rows")
    expect(root).to_be_visible()
    left = {
        name: picture.locator(f".box:has-text('{name}')").first.evaluate("box => box.offsetLeft")
        for name in ("2 rows", "lake/silver", "lake/names", "lake/raw")
    }
    assert sorted(left, key=lambda name: left[name], reverse=True) == [*left]
    assert len(set(left.values())) == 4  # a layer for each source

    table = page.get_by_role("table", name=re.compile("^The first 50 contributing rows"))
    expect(table.get_by_role("row")).to_have_count(1 + 50 + 1 + 1)
    expect(table.get_by_role("row").nth(5)).to_contain_text(FILE)
    expect(table).not_to_contain_text("Ada")
    button = table.get_by_role("button", name="row 4", exact=True)
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".elsewhere code")).to_have_text(f"lineage trace --saved {saved}")


def test_saved_values_are_displayed(page: Page, shop: Collector) -> None:
    page.goto(f"/record?trace={save(shop, values=True)}")
    expect(page.get_by_text("name = 'Ada'")).to_be_visible()
    traced = page.get_by_role("table", name="Values of traced rows")
    expect(traced).to_contain_text("name=Ada spent=18")
    rows = page.get_by_role("table", name=re.compile("^The first 50 contributing rows"))
    expect(rows.get_by_role("row").nth(3)).to_contain_text("id=2")


def test_arrow_keys_lead_from_the_traced_rows_to_the_contributing_ones(
    page: Page, shop: Collector
) -> None:
    page.goto(f"/record?trace={save(shop)}")
    page.get_by_role("button", name="2 rows").focus()
    page.keyboard.press("ArrowLeft")
    chosen = page.locator(".box.chosen")
    expect(chosen).to_have_count(1)
    expect(chosen).not_to_contain_text("2 rows")
    expect(chosen.get_by_role("button")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".box.chosen")).to_contain_text("2 rows")


def test_a_run_leads_to_its_items(page: Page, shop: Collector, tmp_path: Path) -> None:
    halve_items(shop.dsn, RUN, tmp_path)

    page.goto(f"/run?id={RUN}")
    page.get_by_role("link", name="Recorded items").click()
    nodes = page.get_by_role("table", name="All rows by node").get_by_role("row")
    expect(nodes.nth(1)).to_contain_text("halve")
    items = page.get_by_role("table", name="Sampled items, by id").get_by_role("row")
    expect(items).to_have_count(9)
    page.get_by_role("link", name="dead lettered").click()
    expect(items).to_have_count(2)
    expect(items.nth(1)).to_contain_text("halve: error, dead lettered, 0 out")
    expect(items.nth(1)).to_contain_text("ValueError")
    expect(items.nth(1).get_by_role("cell").nth(3)).to_have_text("2")
    expect(page.locator(".elsewhere code")).to_have_text(
        f"lineage trace --run {RUN} --outcome dead_lettered --limit 100"
    )
    page.get_by_role("link", name="joined").click()
    expect(page.get_by_text("No sampled item was joined.")).to_be_visible()


def test_a_run_without_items_does_not_lead_to_them(page: Page, shop: Collector) -> None:
    page.goto(f"/run?id={EMPTY}")
    wait_for_answers(page)
    expect(page.get_by_role("link", name="Recorded items")).to_have_count(0)
    page.goto(f"/items?run={EMPTY}")
    expect(page.get_by_text("No items of this run are recorded.")).to_be_visible()
