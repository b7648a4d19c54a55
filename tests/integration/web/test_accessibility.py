"""Every page by the rules of axe, at the width of a telephone and of a large screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, run_event
from support.events.record_facts import record_items, save_rows
from support.web.answers import wait_for_answers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import BrowserContext, Page
    from support.fixtures.collectors import Collector

AXE = Path(__file__).parents[3] / "web/node_modules/axe-core/axe.min.js"
RUN = "00000001-0000-4000-8000-000000000000"
FAILED = "00000002-0000-4000-8000-000000000000"
REPORT = "00000003-0000-4000-8000-000000000000"
FIELDS = [{"name": f"column_{n}", "type": "string", "description": "Text"} for n in range(12)]
PATHS = (
    "/",
    "/dataset?name=clean&column=column_1",
    "/columns?name=clean",
    "/job?name=etl/clean",
    f"/run?id={FAILED}",
    "/runs",
    "/graph?root=s3://lake/clean",
    "/graph?root=s3://lake/clean&level=column",
    "/graph?root=s3://lake/clean&level=job",
    "/graph?root=s3://lake/clean&level=run&time=2026-01-01T00:00:35Z",
    "/graph?root=s3://lake/clean&tag=pii&since=2026-01-01T00:00:00Z",
    "/graph?root=s3://lake/clean&before=2026-01-01T00:00:15Z",
    f"/gantt?run={REPORT}",
    "/impact?dataset=raw",
    "/order",
    "/order?name=gold&stale=true&workers=2",
    "/sources",
    "/path?from=raw&to=gold",
    f"/compare?before={RUN}&after={FAILED}",
    "/compare?dataset=gold&start=2026-01-01T00:00:15Z&end=2026-01-01T00:01:00Z",
    "/compare",
    "/cypher?query=MATCH (d:Dataset) RETURN d",
    "/cypher?canned=writers_of&param=name=clean",
    "/health",
    f"/why?run={FAILED}",
    "/record?trace=TRACE",
    f"/items?run={RUN}",
    f"/items?run={RUN}&outcome=dead_lettered",
    "/no-such-page-in-the-list-of-pages-of-the-script",
)
# The id of the saved trace.
SAVED: dict[str, str] = {}


@pytest.fixture
def filled(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Collector]:
    """Fill the collector; the address of a saved trace has its id instead of TRACE."""
    monkeypatch.setenv("LINEAGE_HOME", str(tmp_path / "home"))
    raw, clean = (
        dataset("raw", schema={"fields": FIELDS}),
        dataset("clean", schema={"fields": FIELDS}),
    )
    error = {"message": "Disk is full\nat line 7", "programmingLanguage": "JAVA"}
    for event in (
        run_event(RUN, "COMPLETE", 10, "clean", (raw,), (clean,)),
        run_event(FAILED, "FAIL", 20, "clean", (raw,), (clean,), errorMessage=error),
        run_event(REPORT, "COMPLETE", 30, "report", (clean,), ("gold",)),
    ):
        assert collector.post("/api/v1/lineage", event).status_code == 201
    collector.drawn().close()
    record_items(collector.dsn, RUN, tmp_path)
    SAVED["TRACE"] = save_rows(collector.dsn, "clean", "raw")
    yield collector
    SAVED.clear()


def show_page(page: Page, path: str) -> None:
    """Open a page and wait for its answers. The server has no document for an unknown path."""
    if path.startswith("/no-such"):
        page.goto("/")
        page.evaluate("path => { history.pushState(null, '', path); }", path)
        page.evaluate("dispatchEvent(new PopStateEvent('popstate'))")
    else:
        page.goto(path.replace("TRACE", SAVED["TRACE"]))
    wait_for_answers(page)


@pytest.mark.skipif(not AXE.exists(), reason="npm has not fetched axe-core.")
@pytest.mark.parametrize(("scheme", "width"), [("light", 2560), ("dark", 320)])
def test_each_page_keeps_the_rules_of_axe_and_the_width_of_the_window(
    filled: Collector, open_context: Callable[..., BrowserContext], scheme: Any, width: int
):
    viewport = {"width": width, "height": 800}
    page = open_context(color_scheme=scheme, viewport=viewport).new_page()
    found = []
    for path in PATHS:
        show_page(page, path)
        if page.evaluate("document.documentElement.scrollWidth - innerWidth") > 0:
            found.append((path, "wider than the window", []))
        page.evaluate(AXE.read_text())
        answer = page.evaluate("axe.run({ resultTypes: ['violations'] })")
        found += [
            (path, each["id"], [node["html"][:120] for node in each["nodes"]])
            for each in answer["violations"]
        ]
    assert not found


def test_forced_colors_keep_the_words_of_states(
    filled: Collector, open_context: Callable[..., BrowserContext]
):
    page = open_context(forced_colors="active").new_page()
    page.goto("/runs?state=FAIL")
    wait_for_answers(page)
    assert page.get_by_role("row").nth(1).get_by_text("✗ fail").is_visible()
