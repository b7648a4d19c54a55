"""Names and texts of events are hostile: every page shows them as text."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from support.events.builders import dataset, run_event
from support.events.record_facts import record_items, save_rows
from support.web.answers import wait_for_answers

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from support.fixtures.collectors import Collector

HOSTILE = "<img src=x onerror=alert(1)><script>alert(1)</script>\u202egpj.exe\n__proto__ ${1} =1+1"
LONG = HOSTILE + "w" * 10_000
NAME = f"gold/{HOSTILE}/" + "x" * 1800
FULL_NAME = quote(f"s3://lake/{NAME}", safe="")
JOB = quote(f"etl/{HOSTILE}", safe="")
COLUMN = quote(HOSTILE, safe="")
RUN = "00000001-0000-4000-8000-000000000000"
FAILED = "00000002-0000-4000-8000-000000000000"
QUERY = quote("MATCH (d:Dataset) RETURN d, d.name AS `<b>\u202e`", safe="")
PATHS = (
    f"/dataset?name={FULL_NAME}&column={COLUMN}",
    f"/columns?name={FULL_NAME}",
    f"/job?name={JOB}",
    f"/run?id={FAILED}",
    "/runs",
    f"/graph?root={FULL_NAME}",
    f"/graph?root={FULL_NAME}&level=column",
    f"/graph?root={FULL_NAME}&level=job",
    f"/graph?root={FULL_NAME}&level=run",
    f"/graph?root=raw&tag={quote(f'{HOSTILE}:{HOSTILE}', safe='')}",
    f"/graph?root={FULL_NAME}&before=2026-01-01T00:00:15Z",
    f"/gantt?run={FAILED}",
    "/impact?dataset=raw",
    "/order",
    f"/order?name={FULL_NAME}&stale=true",
    f"/order?feedback={FULL_NAME}",
    f"/sources?products={FULL_NAME}",
    f"/impact?dataset={FULL_NAME}",
    f"/path?from=raw&to={FULL_NAME}",
    f"/compare?before={RUN}&after={FAILED}",
    f"/compare?dataset={FULL_NAME}&start=2026-01-01T00:00:00Z&end=2026-01-01T00:01:00Z",
    f"/why?run={FAILED}",
    "/record?trace=TRACE",
    f"/items?run={RUN}",
    f"/items?run={RUN}&outcome=error",
    f"/cypher?query={QUERY}",
    "/health",
    "/",
)


@pytest.fixture
def hostile(collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Collector:
    """Return a collector whose texts are all hostile: raw -> the hostile dataset."""
    monkeypatch.setenv("LINEAGE_HOME", str(tmp_path / "home"))
    schema = {"fields": [{"name": HOSTILE, "type": HOSTILE, "description": LONG}]}
    written = dataset(
        NAME,
        schema=schema,
        documentation={"description": LONG},
        ownership={"owners": [{"name": HOSTILE, "type": HOSTILE}]},
        tags={"tags": [{"key": HOSTILE, "value": HOSTILE}]},
    )
    error = {"message": LONG, "programmingLanguage": HOSTILE, "stackTrace": LONG}
    sql = {"sql": {"query": f"SELECT '{LONG}'"}, "documentation": {"description": LONG}}
    raw = dataset("raw", schema=schema)
    for event in (
        run_event(RUN, "COMPLETE", 10, HOSTILE, (raw,), (written,), of_job=sql),
        run_event(FAILED, "FAIL", 20, HOSTILE, (raw,), (written,), of_job=sql, errorMessage=error),
    ):
        assert collector.post("/api/v1/lineage", event).status_code == 201
    collector.drawn().close()
    record_items(collector.dsn, RUN, tmp_path, HOSTILE)
    return collector


def test_every_page_shows_hostile_texts_as_text(page: Page, hostile: Collector) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    faults = []
    trace = save_rows(hostile.dsn, f"s3://lake/{NAME}", "raw", LONG)
    for path in PATHS:
        page.goto(path.replace("TRACE", trace))
        wait_for_answers(page)
        shown = page.locator("#app").inner_text() + page.title()
        if page.locator("[role=alert]").count():
            faults.append((path[:40], page.locator("[role=alert]").first.inner_text()[:300]))
        if "\u202e" in shown:
            faults.append((path[:40], "a character that turns the text around"))
        if page.locator("#app img, #app script, #app b").count():
            faults.append((path[:40], "an element from a name"))
        if page.evaluate("document.documentElement.scrollWidth - innerWidth") > 0:
            faults.append((path[:40], "wider than the window"))
    assert not faults
    assert not dialogs


def test_search_shows_hostile_names_as_text(page: Page, hostile: Collector) -> None:
    page.goto("/")
    page.get_by_role("combobox").fill("onerror")
    page.get_by_role("option").first.wait_for()
    assert page.locator("#app img").count() == 0
    assert "\u202e" not in page.locator("#app").inner_text()
