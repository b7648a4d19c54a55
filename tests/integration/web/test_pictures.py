"""A picture of every page in both themes and at three widths, to be looked at.

They are written to build/pictures, and each page is checked for what a picture would show: an
error, a page that never finishes loading, a part that is wider than the window.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect
from support.cases.airline import run_id
from support.events.record_facts import record_items, save_rows
from support.slow import slow
from support.web.answers import wait_for_answers

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext, Page
    from support.fixtures.collectors import Collector

PICTURES = Path(__file__).parents[3] / "build/pictures"
LAKE = "s3://lake/"
DELAYS = f"/graph?root={LAKE}gold/delays"
LATE, FAILED = run_id("report_delays", 9), run_id("conform_fleet", 8)
USUAL, SLOW = run_id("clean_flights", 8), run_id("clean_flights", 9)
START, END = "2026-03-02T00:00:00Z", "2026-03-08T00:00:00Z"
PATHS = {
    "home": "/",
    "dataset": "/dataset?name=silver/flights&column=arr_delay",
    "columns": "/columns?name=silver/flights",
    "job": "/job?name=etl/clean_flights",
    "run": f"/run?id={FAILED}",
    "runs": "/runs?state=FAIL",
    "graph": DELAYS,
    "graph-columns": f"{DELAYS}&level=column",
    "graph-jobs": f"{DELAYS}&level=job",
    "graph-runs": f"{DELAYS}&level=run",
    "graph-filtered": f"/graph?root={LAKE}web/dashboard&tag=pii",
    "graph-compared": f"{DELAYS}&before=2026-03-03T00:00:00Z",
    "impact": "/impact?dataset=bronze/flights.csv",
    "paths": "/path?from=bronze/flights.csv&to=web/dashboard",
    "compare-runs": f"/compare?before={USUAL}&after={SLOW}",
    "compare-times": f"/compare?dataset=gold/delays&start={START}&end={END}",
    "gantt": f"/gantt?run={LATE}",
    "causes": f"/why?run={LATE}",
    "cypher": "/cypher?query=MATCH (d:Dataset) RETURN d.name AS name ORDER BY name",
    "health": "/health",
    "record": "/record?trace=TRACE",
    "items": f"/items?run={USUAL}",
}


@pytest.fixture
def saved_trace(airline: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the id of a saved trace, in a graph with recorded items."""
    monkeypatch.setenv("LINEAGE_HOME", str(tmp_path / "home"))
    record_items(airline.dsn, USUAL, tmp_path)
    return save_rows(airline.dsn, "gold/delays", "silver/flights")


def show(page: Page, path: str) -> None:
    page.goto(path)
    wait_for_answers(page)
    expect(page.get_by_text("Loading…")).to_have_count(0)


# test_accessibility shows each page at 320 and 2560 pixels, too.
@pytest.mark.parametrize("width", [slow(320), 1280, slow(2560)])
# Colors do not change where a page puts its parts; test_accessibility checks them in both schemes.
@pytest.mark.parametrize("scheme", ["light", slow("dark")])
def test_every_page_has_a_picture(
    saved_trace: str, open_context: Callable[..., BrowserContext], scheme: Any, width: int
) -> None:
    viewport = {"width": width, "height": 720 if width == 320 else 900}
    page = open_context(color_scheme=scheme, viewport=viewport).new_page()
    PICTURES.mkdir(parents=True, exist_ok=True)
    faults = []
    for name, path in PATHS.items():
        show(page, path.replace("TRACE", saved_trace))
        if page.locator("[role=alert]").count():
            faults.append((name, page.locator("[role=alert]").first.inner_text()))
        if page.evaluate("document.documentElement.scrollWidth - innerWidth") > 0:
            faults.append((name, "wider than the window"))
        page.screenshot(path=PICTURES / f"{name}-{scheme}-{width}.png", full_page=True)
    assert not faults


def test_the_picture_of_the_readme(
    airline: Collector, open_context: Callable[..., BrowserContext]
) -> None:
    """docs/images/web-page.png is a copy of this picture: the whole pipeline, and its time."""
    page = open_context(viewport={"width": 1280, "height": 800}).new_page()
    names = [f"bronze/{name}.csv" for name in ("flights", "weather", "planes", "airlines")]
    names += ["silver/flights", "silver/weather", "silver/fleet", "gold/routes", "web/dashboard"]
    show(page, f"{DELAYS}#" + "&".join(f"with={LAKE}{name}" for name in names))
    page.get_by_role("button", name="Fit").click()
    expect(page.locator(".box")).to_have_count(10)
    page.screenshot(path=PICTURES / "readme.png")
    assert (Path(__file__).parents[3] / "docs/images/web-page.png").exists()
