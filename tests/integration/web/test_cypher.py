"""The console answers Cypher as the command does, and says where a query is wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from support.events.builders import dataset, run_event

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Faults
    from playwright.sync_api import Page, Route
    from support.fixtures.collectors import Collector

RUN = "00000001-0000-4000-8000-000000000000"


@pytest.fixture
def written(collector: Collector) -> Collector:
    event = run_event(RUN, "COMPLETE", 10, "clean", ("raw",), ("gold",))
    assert collector.post("/api/v1/lineage", event).status_code == 201
    collector.drawn().close()
    return collector


def test_a_query_is_run_by_its_address_and_by_the_keyboard(page: Page, written: Collector) -> None:
    page.goto("/cypher")
    query = page.get_by_role("textbox", name="Query")
    query.fill("MATCH (d:Dataset) WHERE d.name <> $not\nRETURN d.name AS name, d AS dataset")
    page.get_by_role("textbox", name="Parameters").fill("not=raw")
    query.press("Control+Enter")
    rows = page.get_by_role("table", name="Rows").get_by_role("row")
    expect(rows).to_have_count(2)
    expect(rows.nth(1)).to_contain_text("gold")
    page.reload()
    expect(rows.nth(1).get_by_role("link")).to_have_attribute(
        "href", "/dataset?name=s3%3A%2F%2Flake%2Fgold"
    )


def test_integers_that_javascript_rounds_are_exact(page: Page, written: Collector) -> None:
    page.goto("/cypher?query=RETURN 9007199254740993 AS n, [-9007199254740993, 0.5] AS list")
    row = page.get_by_role("table", name="Rows").get_by_role("row").nth(1)
    expect(row.get_by_role("cell")).to_have_text(["9007199254740993", '["-9007199254740993",0.5]'])


def test_an_error_shows_its_place_in_the_query(page: Page, written: Collector, faults: Faults):
    faults.expected.append("400")  # the browser logs it
    page.goto("/cypher?query=MATCH (d:Dataset)%0ARETURN cuont(d) AS n")
    problem = page.get_by_role("alert")
    expect(problem).to_contain_text("The function cuont may not be called")
    expect(problem.locator("pre")).to_have_text("RETURN cuont(d) AS n\n       ^")


def test_a_canned_query_asks_for_its_parameters(page: Page, written: Collector) -> None:
    page.goto("/cypher")
    page.get_by_role("link", name="writers_of").click()
    form = page.get_by_role("form", name="writers_of")
    form.get_by_label("name").fill("gold")
    form.get_by_role("button", name="Run").click()
    expect(page.get_by_role("table", name="Rows")).to_contain_text("clean")
    expect(page.get_by_text("lineage queries run writers_of name=gold")).to_be_visible()


def test_the_rows_are_saved_as_json(page: Page, written: Collector, tmp_path: Path) -> None:
    page.goto("/cypher?query=MATCH (r:Run) RETURN r.run_id AS id")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save JSON").click()
    download.value.save_as(tmp_path / "rows.json")
    saved = json.loads((tmp_path / "rows.json").read_text())
    assert saved == {"columns": ["id"], "rows": [[RUN]], "omitted": 0}


def test_the_datasets_of_the_rows_open_as_a_picture(page: Page, collector: Collector) -> None:
    event = run_event(RUN, "COMPLETE", 10, "clean", ("raw",), (dataset("/lake/gold", (), "file"),))
    assert collector.post("/api/v1/lineage", event).status_code == 201
    collector.drawn().close()
    page.goto("/cypher?query=MATCH (d:Dataset) RETURN d")
    page.get_by_role("link", name="Graph of these datasets").click()
    boxes = page.locator(".box")
    expect(boxes).to_have_count(2)
    names = boxes.evaluate_all("boxes => boxes.map(box => box.dataset.name)")
    assert set(names) == {"s3://lake/raw", "file:/lake/gold"}


def test_a_query_is_stopped_and_run_again(page: Page, written: Collector) -> None:
    asked = []

    def hold(route: Route) -> None:
        asked.append(route)
        if len(asked) > 1:
            route.continue_()

    page.route("**/api/v1/graph/cypher", hold)
    page.goto("/cypher?query=MATCH (r:Run) RETURN r.run_id AS id")
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Run again").click()
    expect(page.get_by_role("table", name="Rows")).to_contain_text(RUN)


def test_earlier_queries_are_listed(page: Page, written: Collector) -> None:
    page.goto("/cypher?query=RETURN 1 AS one")
    expect(page.get_by_role("table", name="Rows")).to_be_visible()
    page.goto("/cypher?query=RETURN 2 AS two")
    page.get_by_text("Earlier queries").click()
    page.get_by_role("link", name="RETURN 1 AS one").click()
    expect(page.get_by_role("columnheader", name="one")).to_be_visible()
