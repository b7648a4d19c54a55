"""The documentation site of the real dbt with the datasets around the project, in Chromium."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from click.testing import CliRunner
from lineage_cli import main
from playwright.sync_api import expect, sync_playwright
from support.events.builders import run_event
from support.services.dbt_project import DbtRun

from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page
    from support.fixtures.database import Server

HOSTILE = "</script><b id=hostile>{{7*7}}"
SCRIPT = "<img src=x onerror=alert(1)><b id=hostile>"
# The nodes of the graph that the page draws, by their labels, and its edges.
DRAWN = """() => {
  const { elements } = angular.element(document.body).injector().get("graph").graph;
  const all = Array.isArray(elements) ? elements : [...elements.nodes, ...elements.edges];
  const shown = all.map((each) => each.data);
  return {
    nodes: shown.filter((each) => !each.source).map((each) => each.id),
    edges: shown.filter((each) => each.source).map((each) => [each.source, each.target]),
  };
}"""

IS_LAID_OUT = f"""() => {{
  const graph = angular.element(document.body).injector().get("graph");
  return !graph.loading && ({DRAWN})().nodes.length > 0 && document.querySelector("canvas");
}}"""


@dataclass
class Site:
    """The page, and errors that it reported."""

    url: str
    namespace: str
    faults: list[str] = field(default_factory=list)


def task(job: str, hour: int, reads: list[Any], writes: list[Any]) -> str:
    event = json.loads(run_event(f"run of {job}", "COMPLETE", hour, job))
    named = ([{"namespace": ns, "name": name} for ns, name in side] for side in (reads, writes))
    inputs, outputs = named
    return json.dumps({**event, "inputs": inputs, "outputs": outputs})


def described(name: tuple[str, str]) -> str:
    """Return an event with a description of a dataset and its column that a page could execute."""
    fields = [{"name": SCRIPT, "type": SCRIPT, "description": SCRIPT}]
    facets = {"documentation": {"description": SCRIPT}, "schema": {"fields": fields}}
    dataset = {"namespace": name[0], "name": name[1], "facets": facets}
    time = "2026-01-02T00:00:00Z"
    return json.dumps({"eventTime": time, "producer": "urn:test", "dataset": dataset})


@pytest.fixture(scope="module")
def site(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Build the project with DuckDB, and let tasks write its source and read its result.

    One of them writes what it reads back into the source. The page cannot draw such a cycle.
    """
    directory = tmp_path_factory.mktemp("docs") / "store"
    run = DbtRun.prepare(directory, {})
    run.build()
    namespace = "duckdb://store.duckdb"
    orders, revenue = (namespace, "store.raw.orders_clean"), (namespace, "store.main.revenue")
    database = server.create(server.migrated())
    dsn = server.dsn(database)
    with psycopg.connect(dsn, autocommit=True) as conn:
        tasks = [
            task("load_orders", 1, [("file", "/in/orders.csv")], [orders]),
            task("export_report", 2, [revenue], [("s3://bi", "report"), ("s3://bi", HOSTILE)]),
            task(f"hostile {HOSTILE}", 4, [revenue], [("s3://bi", HOSTILE)]),
            described(("s3://bi", HOSTILE)),
            task("correct_orders", 3, [revenue], [orders]),
        ]
        write_events(conn, tasks)
    common = ["--profiles-dir", str(directory), "--dsn", dsn]
    for words in (
        ["import", "dbt", str(run.target)],
        ["export", "dbt-docs", str(run.target), "--output", str(directory / "site"), "--static"],
    ):
        done = CliRunner().invoke(main, [*words, *common])
        assert done.exit_code == 0, done.stderr
    assert "closes a cycle" in done.stderr
    yield Site((directory / "site" / "static_index.html").as_uri(), namespace)
    server.drop(database)


@pytest.fixture
def page(site: Site) -> Iterator[Page]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is missing: apt-get install chromium")

    def note_error(text: str) -> None:
        # dbt's own page loads a template as an icon.
        if "Error" in text and "getIcon" not in text and "ERR_FILE_NOT_FOUND" not in text:
            site.faults.append(text)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: site.faults.append(str(error)))
        page.on("console", lambda message: note_error(message.text))
        page.on("dialog", lambda dialog: (site.faults.append(dialog.message), dialog.dismiss()))
        yield page
        browser.close()
    assert not site.faults


def test_the_graph_goes_from_file_to_report(site: Site, page: Page, tmp_path: Path) -> None:
    page.goto(f"{site.url}#!/overview?g_v=1&g_i=%2Brevenue%2B")
    page.wait_for_function(IS_LAID_OUT)
    drawn = page.evaluate(DRAWN)
    page.screenshot(path=tmp_path / "graph.png")
    edges = {tuple(edge) for edge in drawn["edges"]}
    steps = [
        "model.lineage.orders_csv",
        "model.lineage.orders_clean",
        "model.store.stg_orders",
        "model.store.paid",
        "model.store.revenue",
        "model.lineage.report",
    ]
    assert set(steps) <= set(drawn["nodes"])
    assert set(pairwise(steps)) <= edges
    assert ("model.store.revenue", "model.lineage.orders_clean") not in edges


def test_a_table_that_a_task_writes_has_its_columns(site: Site, page: Page, tmp_path: Path) -> None:
    page.goto(f"{site.url}#!/model/model.lineage.orders_clean")
    expect(page.get_by_role("heading", name="orders_clean")).to_be_visible()
    page.screenshot(path=tmp_path / "model.png", full_page=True)
    page.locator(".launcher-btn").first.click()
    page.wait_for_function(IS_LAID_OUT)
    page.screenshot(path=tmp_path / "beside.png")
    text = page.locator("body").inner_text()
    assert "Orders without duplicates" in text
    assert "rate_code" in text
    assert "load_orders" in text


def test_a_hostile_name_is_text(site: Site, page: Page, tmp_path: Path) -> None:
    [node] = [
        each
        for each in json.loads(
            (Path(site.url.removeprefix("file://")).parent / "manifest.json").read_text()
        )["nodes"].values()
        if each.get("relation_name", "") and HOSTILE in each["relation_name"]
    ]
    page.goto(f"{site.url}#!/model/{node['unique_id']}")
    expect(page.get_by_role("heading", name=node["name"])).to_be_visible()
    page.screenshot(path=tmp_path / "hostile.png", full_page=True)
    assert page.locator("#hostile").count() == 0
    text = page.locator("body").inner_text()
    assert HOSTILE in text
    assert SCRIPT in text  # the type of a column
