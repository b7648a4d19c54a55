"""Time in the explorer: pictures as of a time, comparisons of two, and runs by time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import requests
from playwright.sync_api import expect
from support.cases.airline import run_id
from support.web.picture import LAKE, box, places

from lineage.maintenance.archive_runs import archive_runs
from lineage.projection import archived_runs

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from playwright.sync_api import Page, Route
    from support.fixtures.collectors import Collector

DELAYS = f"/graph?root={LAKE}gold/delays"
# report_delays reads silver/weather from its run of day 5 on, which begins then.
WEATHER_SINCE = "2026-03-06 04:15:00"
NEIGHBOURS = re.compile("/neighbours")
LATE = run_id("report_delays", 9)


def hidden_upstream(page: Page) -> dict[str, str]:
    """Return the numbers of hidden neighbours upstream that the table below the picture tells."""
    rows = page.locator(".list tbody tr")
    return {
        row.locator("th").inner_text().removeprefix(LAKE): row.locator("td").nth(3).inner_text()
        for row in rows.all()
    }


def test_the_strip_steps_from_change_to_change_and_boxes_keep_their_places(
    page: Page, airline: Collector
) -> None:
    page.goto(DELAYS)
    expect(box(page, "silver/weather")).to_be_visible()
    before = places(page)
    page.get_by_role("button", name="Previous change").click()
    expect(page.get_by_text(f"As of {WEATHER_SINCE} UTC")).to_be_visible()
    expect(page.get_by_role("status", name="Last change")).to_contain_text("As of 2026-03-06T04:15")
    page.get_by_role("slider", name="As of").press("ArrowLeft")
    expect(page.get_by_text("As of 2026-03-01", exact=False).first).to_be_visible()

    # Then weather was named, but no run of report_delays had read it.
    assert hidden_upstream(page)["silver/weather"] == "1"
    expect(page.locator(".list caption")).to_contain_text("3 edges")
    assert places(page) == before
    page.get_by_role("button", name="Now", exact=True).click()
    expect(page.locator(".list caption")).to_contain_text("4 edges")


def step_back_to_the_first_day(page: Page) -> None:
    """Step to the time before weather was read."""
    page.get_by_role("button", name="Previous change").click()
    expect(page.get_by_text(f"As of {WEATHER_SINCE} UTC")).to_be_visible()
    page.get_by_role("button", name="Previous change").click()
    expect(page.get_by_text("As of 2026-03-01", exact=False).first).to_be_visible()


def test_undo_takes_back_a_box_and_keeps_the_time(page: Page, airline: Collector) -> None:
    page.goto(DELAYS)
    box(page, "silver/flights").locator(".side.left").click()
    expect(box(page, "bronze/flights.csv")).to_be_visible()
    step_back_to_the_first_day(page)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status", name="Last change")).to_have_text("Undone.")
    expect(box(page, "bronze/flights.csv")).to_have_count(0)

    # On the first day no run of report_delays had read weather.
    expect(page.get_by_text("As of 2026-03-01", exact=False).first).to_be_visible()
    assert "time=2026-03-01" in page.url
    expect(page.locator(".list caption")).to_contain_text("3 edges")
    assert hidden_upstream(page)["silver/weather"] == "1"


def test_boxes_that_arrive_after_the_time_changed_are_of_the_new_time(
    page: Page, airline: Collector
) -> None:
    held: list[Route] = []
    page.goto(DELAYS)
    expect(box(page, "silver/flights")).to_be_visible()
    page.route(NEIGHBOURS, lambda route: held.append(route), times=1)
    with page.expect_request(NEIGHBOURS):
        box(page, "silver/flights").locator(".side.left").click()
    step_back_to_the_first_day(page)
    expect(page.locator(".list caption")).to_contain_text("3 edges")
    held[0].continue_()
    expect(box(page, "bronze/flights.csv")).to_be_visible()

    expect(page.get_by_text("As of 2026-03-01", exact=False).first).to_be_visible()
    expect(page.locator(".list caption")).to_contain_text("4 edges")
    assert hidden_upstream(page)["silver/weather"] == "1"


def test_a_dataset_that_no_event_had_named_is_an_outline(page: Page, airline: Collector) -> None:
    page.goto(f"{DELAYS}&time=2026-03-01T04:01:00Z")
    expect(box(page, "gold/delays").get_by_text("not seen yet")).to_be_visible()


def test_a_link_opens_the_picture_of_its_time(page: Page, airline: Collector) -> None:
    page.goto(f"{DELAYS}&time=2026-03-03T00:00:00Z")
    expect(page.get_by_text("As of 2026-03-03 00:00:00 UTC")).to_be_visible()
    shown = page.locator(".list tbody th").all_inner_texts()
    answer = requests.get(
        f"{airline.url}/api/v1/graph/neighbours",
        {"dataset": f"{LAKE}gold/delays", "time": "2026-03-03T00:00:00Z"}, timeout=60,
    ).json()  # fmt: skip
    position = answer["fields"]["datasets"].index("name")
    assert {name.removeprefix(LAKE) for name in shown} == {
        row[position] for row in answer["datasets"]
    }
    assert f"{LAKE}silver/weather" not in shown


def test_two_times_are_compared_by_sign_and_word(page: Page, airline: Collector) -> None:
    page.goto(DELAYS)
    page.get_by_role("button", name="Compare two times").click()
    expect(page.get_by_role("slider", name="Compared with")).to_be_visible()
    page.goto(f"{DELAYS}&before=2026-03-03T00:00:00Z")
    times = "Now, compared with 2026-03-03 00:00:00 UTC"
    expect(page.locator(".time-strip strong")).to_have_text(times)
    changes = page.get_by_role("table", name=f"1 edge differs. {times}").get_by_role("row")
    expect(changes).to_have_count(2)
    expect(changes.nth(1)).to_contain_text("+ added")
    expect(changes.nth(1)).to_contain_text(f"{LAKE}silver/weather")
    page.goto(f"{DELAYS}&before=2026-03-08T00:00:00Z&time=2026-03-03T00:00:00Z")
    # The picture as of the end has no weather; the start has it, but not among the boxes shown.
    expect(page.get_by_text("No edge of the picture differs.")).to_be_visible()
    expect(page.locator(".time-strip strong")).to_have_text(
        "As of 2026-03-03 00:00:00 UTC, compared with 2026-03-08 00:00:00 UTC"
    )


def test_an_edge_that_the_later_time_has_not_is_removed(page: Page, airline: Collector) -> None:
    page.goto(DELAYS)
    expect(box(page, "silver/weather")).to_be_visible()
    link = page.evaluate("location.hash")
    page.goto("/")
    page.goto(f"{DELAYS}&time=2026-03-03T00:00:00Z&before=2026-03-08T00:00:00Z{link}")
    changes = page.get_by_role("table", name="1 edge differs").get_by_role("row")
    expect(changes.nth(1)).to_contain_text("\N{MINUS SIGN} removed")


def test_the_archive_of_runs_is_named(
    page: Page, airline: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)
    note = page.get_by_text("Runs from before 2026-04-01 are archived")
    page.goto(DELAYS)
    expect(page.get_by_role("slider", name="As of")).to_be_visible()
    expect(note).to_have_count(0)
    with airline.drawn() as conn:
        assert list(archive_runs(conn, "2026-04-01", str(tmp_path)))
    page.reload()
    expect(note.first).to_be_visible()
    for path in ("dataset?name", "impact?dataset"):
        page.goto(f"/{path}={LAKE}gold/delays")
        expect(note.first).to_be_visible()


def test_the_chart_has_the_runs_of_the_answer_and_the_chain_that_was_waited_for(
    page: Page, airline: Collector
) -> None:
    page.goto(f"/run?id={LATE}")
    page.get_by_role("link", name="Runs upstream by time").click()
    bars = page.locator(".gantt .bar")
    expect(bars).to_have_count(3)
    answer = requests.get(
        f"{airline.url}/api/v1/graph/run-lineage", {"run": LATE, "runs": True}, timeout=60
    ).json()
    runs = {each["writer"]["run_id"] for each in answer["dependencies"] if each["writer"]}
    hrefs = bars.evaluate_all("bars => bars.map(bar => new URL(bar.href).searchParams.get('id'))")
    assert set(hrefs) == runs | {LATE}
    # It waited for clean_flights, which took 80 minutes, and not for clean_weather.
    chain = page.get_by_role("table", name="2 runs, the first to start first").get_by_role("row")
    expect(chain.nth(1)).to_contain_text("etl/clean_flights")
    expect(chain.nth(1)).to_contain_text("1 h 20 min")
    expect(chain.nth(1)).to_contain_text("168,000")
    expect(chain.nth(2)).to_contain_text("etl/report_delays")
    expect(chain.nth(2)).to_contain_text("10 min")


def test_a_chosen_cause_marks_its_way_to_the_run(page: Page, airline: Collector) -> None:
    page.goto(f"/why?run={run_id('report_routes', 8)}")
    cause = page.locator(".causes > li").filter(has_text="conform_fleet").first
    cause.get_by_role("button", name="Show its way").click()
    expect(cause.get_by_role("button", name="Show its way")).to_have_attribute(
        "aria-pressed", "true"
    )
    # The failed run wrote nothing, so the way begins at the run that read what was there before.
    expect(page.locator(".gantt .bar.chain")).to_have_count(1)
    page.goto(f"/why?run={LATE}")
    expect(page.locator(".gantt .bar.chain")).to_have_count(2)
    page.get_by_role("link", name="Graph of the datasets on the way").click()
    expect(box(page, "silver/flights")).to_be_visible()


def test_the_bars_of_a_job_report_what_is_unusual(page: Page, airline: Collector) -> None:
    page.goto("/job?name=etl/clean_flights")
    duration = page.get_by_role("figure").filter(has_text="Duration").get_by_role("link")
    expect(duration).to_have_count(10)
    # The median of the 9 runs before is 9 minutes; usual is from a half of it to one and a half.
    expect(duration.last).to_have_accessible_name(
        "2026-03-10 04:00:00: 1 h 20 min, complete, expected 5 min to 14 min, outside of it"
    )
    page.goto("/dataset?name=silver/flights")
    rows = page.get_by_role("figure").filter(has_text="Rows of").get_by_role("link")
    expect(rows.last).to_have_accessible_name(
        "2026-03-10 04:00:00: 168,000, complete, expected 168,240 to 504,720, outside of it"
    )
