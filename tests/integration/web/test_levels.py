"""Filters, levels and columns of the explorer, compared with the command line."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING
from uuid import UUID

import lineage_cli
import pytest
from click.testing import CliRunner
from playwright.sync_api import expect
from support.events.builders import job_event, run_event
from support.web.answers import wait_for_answers
from support.web.picture import LAKE, box, shown

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from support.fixtures.collectors import Collector


def rows_of_command(page: Page, collector: Collector) -> list[dict[str, str]]:
    """Run the command that the page offers, and return the rows that it prints."""
    program, *arguments = shlex.split(page.locator(".elsewhere code").inner_text())
    assert program == "lineage"
    result = CliRunner().invoke(
        lineage_cli.main, [*arguments, "--format", "json", "--dsn", collector.dsn]
    )
    assert result.exit_code == 0, result.output
    rows: list[dict[str, str]] = json.loads(result.stdout)
    return rows


@pytest.mark.parametrize(
    "filters", ["tag=pii", "job=etl/report_delays", "since=2026-03-10T05:30:00Z", "tag=none"]
)
def test_a_filtered_picture_has_the_datasets_of_the_command(
    page: Page, airline: Collector, filters: str
) -> None:
    page.goto(f"/graph?root={LAKE}web/dashboard&{filters}")
    expect(box(page, f"{LAKE}web/dashboard")).to_be_visible()
    wait_for_answers(page)
    rows = rows_of_command(page, airline)
    names = {row[end] for row in rows for end in ("source", "target")}
    assert {f"{LAKE}{name}" for name in shown(page)} == names | {f"{LAKE}web/dashboard"}


def test_a_path_through_filtered_datasets_reports_how_many(page: Page, airline: Collector) -> None:
    page.goto(f"/graph?root={LAKE}web/dashboard&tag=pii")
    expect(box(page, f"{LAKE}silver/flights")).to_be_visible()
    assert shown(page) == {"web/dashboard", "silver/flights", "silver/fleet"}
    page.get_by_text("Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    assert download.value.path().read_text().count("1 filtered</text>") == 2


def test_filters_are_added_and_removed_and_boxes_keep_their_places(
    page: Page, airline: Collector
) -> None:
    page.goto(f"/graph?root={LAKE}gold/delays")
    expect(box(page, f"{LAKE}silver/weather")).to_be_visible()
    style = box(page, f"{LAKE}silver/flights").get_attribute("style")
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Only this").select_option("tag")
    page.get_by_label("Value").fill("pii")
    page.get_by_role("button", name="Filter", exact=True).click()
    expect(page.locator(".box")).to_have_count(2)
    assert shown(page) == {"gold/delays", "silver/flights"}
    assert box(page, f"{LAKE}silver/flights").get_attribute("style") == style
    page.get_by_role("button", name="Remove the filter tag: pii").click()
    expect(box(page, f"{LAKE}silver/flights").locator(".side.left")).to_have_text("+1")
    page.go_back()
    expect(page.get_by_role("button", name="Remove the filter tag: pii")).to_be_visible()


def test_jobs_are_those_of_the_edges_and_the_selection_follows(
    page: Page, airline: Collector
) -> None:
    page.goto(f"/graph?root={LAKE}gold/delays")
    box(page, f"{LAKE}silver/flights").get_by_role("button", name="Show 1 hidden").first.click()
    expect(box(page, f"{LAKE}bronze/flights.csv")).to_be_visible()
    box(page, f"{LAKE}silver/flights").locator(".title").click()
    page.get_by_role("link", name="Jobs", exact=True).click()
    expect(box(page, "etl/clean_flights")).to_have_class("box chosen  ")
    assert {"etl/clean_flights", "etl/report_delays", "etl/publish"} <= shown(page)
    box(page, "etl/report_delays").locator(".title").click()
    page.get_by_role("link", name="Datasets", exact=True).click()
    expect(page.locator(".box.chosen")).to_have_attribute("data-name", f"{LAKE}gold/delays")


def test_state_and_time_of_a_job_are_of_one_run(page: Page, collector: Collector) -> None:
    """Also if that run failed, so that no edge counts it."""
    days = (("COMPLETE", 0), ("FAIL", 3600))
    for n, (state, second) in enumerate(days):
        event = run_event(str(UUID(int=n)), state, second, "load", ("raw",), ("mart",))
        assert collector.post("/api/v1/lineage", event).ok
    assert collector.post("/api/v1/lineage", job_event(9, "plan", ("mart",), ("report",))).ok
    collector.drawn().close()
    page.goto(f"/graph?root={LAKE}mart&level=job")
    expect(box(page, "etl/load")).to_contain_text("✗ fail 2026-01-01 01:00")
    expect(box(page, "etl/plan").locator(".state")).to_have_text("· unknown")
    page.goto(f"/graph?root={LAKE}mart&level=job&time=2026-01-01T00:30:00Z")
    expect(box(page, "etl/load")).to_contain_text("✓ 2026-01-01 00:00")


def test_runs_are_those_whose_writes_were_visible(page: Page, airline: Collector) -> None:
    page.goto(f"/graph?root={LAKE}gold/delays&level=run")
    expect(page.locator(".box")).to_have_count(7)
    runs = {row["writer"] for row in rows_of_command(page, airline) if row["writer"]}
    assert len(runs) == 3
    assert runs <= shown(page)


def test_runs_that_may_be_sources_too_are_counted(page: Page, collector: Collector) -> None:
    for n in range(4):
        event = run_event(str(UUID(int=n)), "COMPLETE", n, "load", ("raw",), ("mart",))
        assert collector.post("/api/v1/lineage", event).ok
    last = run_event(str(UUID(int=9)), "COMPLETE", 9, "report", ("mart",), ("report",))
    assert collector.post("/api/v1/lineage", last).ok
    collector.drawn().close()
    for path in (f"/graph?root={LAKE}report&level=run", f"/gantt?run={UUID(int=9)}"):
        page.goto(path)
        expect(page.get_by_role("note").get_by_role("listitem")).to_have_text(
            ["3 earlier runs of etl/load since 2026-01-01 00:00:00"]
        )
        expect(page.locator(".elsewhere code")).to_contain_text("lineage query")
        _, *arguments = shlex.split(page.locator(".elsewhere code").inner_text())
        output = CliRunner().invoke(lineage_cli.main, [*arguments, "--dsn", collector.dsn]).output
        assert "Perhaps 3 further runs of jobs whose write mode is not known." in output
    for event in ("report", "mart"):
        page.goto(f"/graph?root={LAKE}{event}&level=run&time=2026-01-01T00:00:00Z")
        wait_for_answers(page)
        expect(page.get_by_role("note")).to_have_count(0)


def test_a_source_whose_writer_failed_has_no_known_writer(page: Page, collector: Collector) -> None:
    for n, (state, reads, writes) in enumerate(
        (("FAIL", ("raw",), ("clean",)), ("COMPLETE", ("clean",), ("gold",)))
    ):
        event = run_event(str(UUID(int=n)), state, n, f"job{n}", reads, writes)
        assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    page.goto(f"/graph?root={LAKE}gold&level=run")
    expect(box(page, f"{LAKE}clean")).to_contain_text("no known writer")
    row = page.locator(".list tbody tr").filter(has_text=f"{LAKE}clean")
    expect(row).to_contain_text("no known writer")
    page.goto(f"/graph?root={LAKE}gold")
    expect(box(page, f"{LAKE}clean")).to_contain_text("fail")


@pytest.mark.parametrize("option", ["observed=true", "include_stale=false"])
def test_the_command_of_a_picture_of_one_step_is_of_one_step(
    page: Page, airline: Collector, option: str
) -> None:
    page.goto(f"/graph?root={LAKE}gold/delays&{option}")
    expect(page.locator(".box")).to_have_count(5)
    names = {row[end] for row in rows_of_command(page, airline) for end in ("source", "target")}
    assert {f"{LAKE}{name}" for name in shown(page)} == names


def test_the_json_of_a_level_has_its_jobs_or_runs(page: Page, airline: Collector) -> None:
    def answer() -> str:
        link = page.locator(".elsewhere").get_by_role("link", name="JSON")
        return page.request.get(link.get_attribute("href") or "").text()

    page.goto(f"/graph?root={LAKE}gold/delays&level=run")
    expect(page.locator(".box")).to_have_count(7)
    runs = {
        row["writer"]["run_id"] for row in json.loads(answer())["dependencies"] if row["writer"]
    }
    assert runs == shown(page) & runs
    assert len(runs) == 3
    page.goto(f"/graph?root={LAKE}gold/delays&level=job")
    expect(box(page, "etl/report_delays")).to_be_visible()
    assert '"etl/report_delays"' in answer()


def test_filters_of_the_current_edges_have_no_other_time(page: Page, airline: Collector) -> None:
    page.goto(f"/graph?root={LAKE}gold/delays&time=2026-03-03T00:00:00Z")
    expect(page.get_by_text("As of 2026-03-03 00:00:00 UTC")).to_be_visible()
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("without stale edges").check()
    expect(
        page.get_by_text("The picture is as of now. To see another time, remove")
    ).to_be_visible()
    expect(page.get_by_role("slider")).to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)
    assert "time=" not in page.url
    page.get_by_label("without stale edges").uncheck()
    expect(page.get_by_role("slider", name="As of")).to_be_visible()


def test_the_root_of_a_link_may_be_the_ending_of_a_name(page: Page, airline: Collector) -> None:
    page.goto("/graph?root=gold/delays")
    expect(page.locator(".box")).to_have_count(5)
    levels = page.get_by_role("navigation", name="Level")
    levels.get_by_role("link", name="Runs").click()
    expect(page.locator(".box")).to_have_count(7)
    assert "gold/delays" in shown(page)
    page.goto("/graph?root=gold/delays&since=2026-03-01T00:00:00Z")
    root = box(page, f"{LAKE}gold/delays")
    expect(root).to_be_visible()
    wait_for_answers(page)
    before = shown(page)
    page.reload()
    expect(root).to_be_visible()
    assert shown(page) == before


def test_the_columns_level_opens_all_boxes_and_draws_their_edges(
    page: Page, airline: Collector
) -> None:
    page.goto(f"/graph?root={LAKE}gold/delays&level=column")
    flights = box(page, f"{LAKE}silver/flights")
    expect(flights.locator(".columns li")).to_have_count(4)  # three with edges, and the others
    assert set(flights.locator(".columns li").all_inner_texts()) == {
        "arr_delay", "carrier", "dest", "9 more columns",
    }  # fmt: skip
    box(page, f"{LAKE}gold/delays").get_by_role("button", name="mean_delay").click()
    expect(page.locator(".columns button.lit")).to_have_text(["arr_delay", "mean_delay"])
    page.keyboard.press("f")
    expect(page.locator(".box")).to_have_count(2)
    assert shown(page) == {"silver/flights", "gold/delays"}


def test_columns_of_a_box_can_be_searched_and_expanded(page: Page, airline: Collector) -> None:
    page.goto(f"/graph?root={LAKE}silver/flights")
    flights = box(page, f"{LAKE}silver/flights")
    flights.get_by_role("button", name="Columns of").click()
    columns = flights.locator(".columns li")
    expect(columns).to_have_count(9)
    columns.last.get_by_role("button").click()
    expect(columns).to_have_count(12)
    field = flights.get_by_role("searchbox")
    field.fill("TIME")
    field.press("Enter")
    expect(columns).to_have_text(["air_time", "time_hour"])
    expect(columns.first.get_by_role("button")).to_have_attribute(
        "title", "air_time; double; derives from 0 columns, used by 0 columns"
    )


def test_a_hidden_neighbour_can_be_searched_by_name(page: Page, airline: Collector) -> None:
    page.goto(f"/graph?root={LAKE}gold/delays")
    box(page, f"{LAKE}silver/flights").locator(".title").click()
    page.get_by_label("Search the 2 hidden neighbours of s3://lake/silver/flights").fill("ROUTES")
    page.get_by_role("button", name="Show s3://lake/gold/routes").click()
    expect(box(page, f"{LAKE}gold/routes")).to_be_visible()
    assert "bronze/flights.csv" not in shown(page)


def test_hidden_neighbours_beyond_the_limit_can_be_searched(
    page: Page, collector: Collector
) -> None:
    names = tuple(f"marts/fact_orders_{n:03}" for n in range(100))
    event = run_event(str(UUID(int=1)), "COMPLETE", 1, "load", ("orders",), names)
    assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    page.goto(f"/graph?root={LAKE}orders")
    field = page.get_by_label(f"Search the 88 hidden neighbours of {LAKE}orders")
    field.fill("fact_orders")
    hits = page.get_by_role("list", name="Hidden neighbours")
    expect(hits.get_by_role("button")).to_have_count(12)
    expect(hits.get_by_text("More neighbours match. Type more of the name.")).to_be_visible()
    assert not shown(page) & {
        text.removeprefix(f"Show {LAKE}") for text in hits.get_by_role("button").all_inner_texts()
    }
    field.fill("orders_099")
    expect(hits.get_by_role("listitem")).to_have_text([f"Show {LAKE}marts/fact_orders_099"])


def test_the_table_is_filtered_and_sorted(page: Page, airline: Collector) -> None:
    page.goto(f"/graph?root={LAKE}gold/delays")
    rows = page.locator(".list tbody th")
    expect(rows).to_have_count(5)
    page.get_by_role("button", name="Rows", exact=True).click()
    page.get_by_role("button", name="Rows", exact=True).click()
    expect(rows.first).to_have_text(f"{LAKE}silver/flights")  # the most rows
    page.get_by_label("Filter the table").fill("WEATHER")
    expect(rows).to_have_text([f"{LAKE}silver/weather"])


def test_a_dialog_lists_the_keys(page: Page, airline: Collector) -> None:
    page.goto("/runs")
    wait_for_answers(page)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_have_count(0)
