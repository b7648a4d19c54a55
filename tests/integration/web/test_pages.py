"""Pages show the answers of the read API."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import lineage_cli
import psycopg
import pytest
from click.testing import CliRunner
from playwright.sync_api import expect
from support.events.builders import dataset, run_event, time

from lineage.stored_ranks import store_ranks

if TYPE_CHECKING:
    from conftest import Faults
    from playwright.sync_api import Page, Route
    from support.fixtures.collectors import Collector


SCHEMA = {"fields": [{"name": "carrier", "type": "string"}, {"name": "delay", "type": "double"}]}
FLIGHTS = dataset("silver/flights", schema=SCHEMA)
CLEAN = "aaaaaaaa-0000-4000-8000-000000000001"
REPORT = "bbbbbbbb-0000-4000-8000-000000000002"


def column_lineage(source: str) -> dict[str, object]:
    direct = {"type": "DIRECT", "subtype": "AGGREGATION", "description": "", "masking": False}
    inputs = [
        {"namespace": "s3://lake", "name": source, "field": "delay", "transformations": [direct]}
    ]
    return {"fields": {"mean_delay": {"inputFields": inputs}}}


DELAYS = dataset(
    "gold/delays",
    schema={"fields": [{"name": "mean_delay", "type": "double"}]},
    columnLineage=column_lineage("silver/flights"),
    outputFacets={"outputStatistics": {"rowCount": 16, "size": 4096}},
)
ERROR = {"message": "Table is gone\nCaused by: disk", "programmingLanguage": "JAVA"}


@pytest.fixture
def airline(collector: Collector) -> Collector:
    """Return a collector with bronze -> silver -> gold, whose last run failed."""
    for event in (
        run_event(CLEAN, "START", 0, "clean", ("bronze/flights",), (FLIGHTS,)),
        run_event(CLEAN, "COMPLETE", 60, "clean", ("bronze/flights",), (FLIGHTS,)),
        run_event(REPORT, "START", 90, "report", (FLIGHTS,), (DELAYS,)),
        run_event(REPORT, "COMPLETE", 100, "report", (FLIGHTS,), (DELAYS,)),
        run_event("cc" + REPORT[2:], "FAIL", 200, "report", (FLIGHTS,), (), errorMessage=ERROR),
    ):
        assert collector.post("/api/v1/lineage", event).status_code == 201
    collector.drawn().close()
    return collector


def test_home_shows_the_failed_run_with_the_first_line_of_its_error(page: Page, airline: Collector):
    page.goto("/")

    failed = page.get_by_role("table", name="Failed runs, newest first")
    expect(failed.get_by_role("row")).to_have_count(2)
    row = failed.get_by_role("row").nth(1)
    expect(row).to_contain_text("✗ fail")
    expect(row).to_contain_text("etl/report")
    expect(row).to_contain_text("Table is gone")
    expect(row).not_to_contain_text("disk")
    newest = page.get_by_role("table", name="Runs, newest first", exact=True)
    expect(newest.get_by_role("row")).to_have_count(4)


def test_search_leads_to_a_dataset_with_the_keyboard_alone(page: Page, airline: Collector):
    page.goto("/runs")
    page.get_by_role("heading", name="Runs").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("gold del")
    expect(page.get_by_role("option").first).to_contain_text("s3://lake/gold/delays")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("gold/delays")
    expect(page).to_have_url(f"{airline.url}/dataset?name=s3%3A%2F%2Flake%2Fgold%2Fdelays")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")


def test_a_slash_before_a_search_is_no_part_of_it(page: Page, airline: Collector):
    page.goto("/")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("gold/del")
    expect(page.get_by_role("combobox")).to_have_value("gold/del")


def test_a_dataset_shows_its_jobs_columns_and_runs(page: Page, airline: Collector):
    page.goto("/dataset?name=gold/delays")

    runs = page.get_by_role("table", name="Runs that wrote or read it, newest first")
    expect(runs.get_by_role("row")).to_have_count(2)
    expect(runs.get_by_role("row").nth(1)).to_contain_text("wrote")
    expect(runs.get_by_role("row").nth(1)).to_contain_text("16")
    columns = page.get_by_role("table", name="1 column")
    columns.get_by_role("link", name="mean_delay").click()
    sources = page.get_by_role("table", name="Derives from")
    expect(sources.get_by_role("row").nth(1)).to_contain_text("delay")
    expect(sources.get_by_role("row").nth(1)).to_contain_text("s3://lake/silver/flights")
    expect(page.get_by_text("lineage show s3://lake/gold/delays")).to_be_visible()


def test_a_stored_rank_is_visible_in_search_and_on_the_page_of_the_dataset(
    page: Page, airline: Collector
):
    with psycopg.connect(airline.dsn, autocommit=True) as conn:
        store_ranks(conn)
    page.goto("/runs")
    page.get_by_role("combobox").fill("bronze/flights")
    expect(page.get_by_role("option")).to_contain_text("rank 1 of 3")
    page.get_by_role("option").click()
    expect(page.get_by_role("definition").filter(has_text="2 dependents")).to_contain_text("1 of 3")


def test_a_job_shows_what_it_reads_and_writes_and_its_runs(page: Page, airline: Collector):
    page.goto("/job?name=report")

    expect(page.get_by_role("heading", level=1)).to_have_text("report")
    expect(page.get_by_role("link", name="s3://lake/silver/flights")).to_be_visible()
    expect(page.get_by_role("link", name="s3://lake/gold/delays")).to_be_visible()
    runs = page.get_by_role("table", name="Runs, newest first", exact=True)
    expect(runs.get_by_role("row").nth(1)).to_contain_text("✗ fail")
    expect(runs.get_by_role("row").nth(2)).to_contain_text("✓ complete")
    expect(runs.get_by_role("row").nth(2)).to_contain_text("10.0 s")


def test_a_run_shows_its_complete_error_and_its_datasets(page: Page, airline: Collector):
    page.goto(f"/run?id=cc{REPORT[2:]}")

    expect(page.get_by_text("Caused by: disk")).to_be_visible()
    expect(page.get_by_role("table", name="Datasets: read")).to_contain_text("silver/flights")
    expect(page.get_by_role("table", name="Datasets: wrote")).to_have_count(0)


def test_the_pages_of_a_job_and_its_runs_have_the_sql_of_the_job(page: Page, collector: Collector):
    sql = {"sql": {"query": "INSERT INTO mart\nSELECT * FROM raw"}}
    event = run_event(CLEAN, "COMPLETE", 1, "load", ("raw",), ("mart",), of_job=sql)
    assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    for path in ("/job?name=etl/load", f"/run?id={CLEAN}"):
        page.goto(path)
        page.get_by_text("SQL of the newest event of the job").click()
        expect(page.locator("pre")).to_have_text(sql["sql"]["query"])


def test_digits_that_are_no_run_lead_to_the_dataset_of_this_name(page: Page, collector: Collector):
    event = run_event(CLEAN, "COMPLETE", 1, "load", (), ("exports/20260403",))
    assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    page.goto("/")
    field = page.get_by_role("combobox")
    field.fill("20260403")
    expect(page.get_by_role("option").first).to_contain_text("exports/20260403")
    field.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("exports/20260403")
    field.fill(CLEAN[:8])
    expect(page.get_by_role("option")).to_contain_text([f"run {CLEAN[:8]}"])


def test_times_without_an_offset_are_in_utc(page: Page, airline: Collector):
    for path in ("/order", "/sources"):
        for typed, utc in (
            ("2026-01-01", "2026-01-01T00:00:00Z"),
            ("2026-01-01T06:30", "2026-01-01T06:30Z"),
            ("2026-01-01T06:30:00+02:00", "2026-01-01T06:30:00+02:00"),
        ):
            page.goto(path)
            field = page.get_by_label("since", exact=False)
            field.fill(typed)
            field.press("Enter")
            expect(page.locator(".elsewhere code")).to_contain_text(f"--since {utc}")
            json_link = page.get_by_role("link", name="JSON").get_attribute("href") or ""
            assert parse_qs(urlsplit(json_link).query)["since"] == [utc]


def test_runs_are_filtered_by_their_state(page: Page, airline: Collector):
    page.goto("/runs")
    expect(page.get_by_role("table").get_by_role("row")).to_have_count(4)
    page.get_by_role("link", name="complete", exact=True).click()

    expect(page.get_by_role("table").get_by_role("row")).to_have_count(3)
    expect(page).to_have_url(f"{airline.url}/runs?state=COMPLETE")


def test_a_run_that_has_begun_and_not_ended_is_running(page: Page, airline: Collector):
    begun = "dddddddd-0000-4000-8000-000000000003"
    event = run_event(begun, "START", 300, "report", (FLIGHTS,), (DELAYS,))
    assert airline.post("/api/v1/lineage", event).ok
    airline.drawn().close()
    page.goto("/runs")
    page.get_by_role("link", name="running", exact=True).click()

    rows = page.get_by_role("table").get_by_role("row")
    expect(rows).to_have_count(2)
    expect(rows.last).to_contain_text(begun[:8])
    command = page.locator(".elsewhere code").inner_text()
    result = CliRunner().invoke(lineage_cli.main, [*command.split()[1:], "--dsn", airline.dsn])
    assert begun in result.output


def test_a_later_page_of_runs_has_no_command(page: Page, airline: Collector):
    page.goto("/runs?offset=1")
    expect(page.get_by_role("table").get_by_role("row")).to_have_count(3)
    expect(page.locator(".elsewhere").get_by_role("link")).to_have_text(["JSON"])
    expect(page.locator(".elsewhere code")).to_have_count(0)


def test_a_name_that_does_not_exist_is_answered_with_the_servers_message(
    page: Page, airline: Collector, faults: Faults
):
    faults.expected.append("404")
    page.goto("/dataset?name=gold/nothing")

    expect(page.get_by_role("alert")).to_contain_text('"gold/nothing"')


def test_a_failed_request_is_reported_and_can_be_retried(
    page: Page, airline: Collector, faults: Faults
):
    faults.expected += ["503", "Failed to load resource"]
    page.route("**/api/v1/graph/job?*", lambda route: route.fulfill(status=503, body="busy"))
    page.goto("/job?name=report")
    expect(page.get_by_role("alert")).to_contain_text("The server answered 503.")
    page.unroute("**/api/v1/graph/job?*")
    page.get_by_role("button", name="Retry").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("report")


def test_a_slow_answer_is_announced(page: Page, airline: Collector):
    announced = []

    def answer_late(route: Route) -> None:
        expect(page.get_by_role("status").filter(has_text="Loading")).to_be_visible()
        announced.append(route.request.url)
        route.continue_()

    page.route("**/api/v1/graph/job?*", answer_late)
    page.goto("/job?name=report")

    expect(page.get_by_role("heading", level=1)).to_have_text("report")
    assert len(announced) == 1


HOSTILE = "gold/<img src=x onerror=alert(1)>\u202egpj.exe\n__proto__/" + "x" * 1800


def test_a_hostile_name_is_displayed_as_text(page: Page, collector: Collector):
    event = run_event(CLEAN, "COMPLETE", 0, "'; DROP--<script>", ("a",), (HOSTILE,))
    assert collector.post("/api/v1/lineage", event).status_code == 201
    collector.drawn().close()
    page.goto("/runs")
    page.get_by_role("link", name="<script>").click()
    page.get_by_role("link", name="s3://lake/gold/<img").click()

    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("gold/<img src=x onerror=alert(1)>")
    shown = heading.locator("bdi").get_attribute("title")
    assert shown is not None
    assert "⟨U+202E⟩gpj.exe⟨U+000A⟩__proto__/x" in shown
    assert page.locator("img").count() == 0
    width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert width <= 0


def test_times_are_those_of_the_events(page: Page, airline: Collector):
    page.goto(f"/run?id={CLEAN[:8]}")

    shown = page.locator("dd time").first
    expect(shown).to_have_text(time(0).replace("T", " ").removesuffix("Z"))


def test_the_columns_of_a_table_have_the_numbers_of_their_edges(
    page: Page, airline: Collector
) -> None:
    page.goto("/dataset?name=gold/delays")
    page.get_by_role("link", name="All columns").click()
    row = page.get_by_role("row", name="mean_delay")
    expect(row.get_by_role("cell")).to_have_text(["mean_delay", "double", "1", "0", "", ""])
    page.goto("/columns?name=silver/flights&text=car")
    expect(page.get_by_role("row")).to_have_count(2)
    expect(page.get_by_role("row").nth(1)).to_contain_text("carrier")


def test_each_list_reports_how_many_entries_it_lacks(page: Page, collector: Collector) -> None:
    parts = [f"parts/p{n:04}" for n in range(1005)]
    direct = {"type": "DIRECT", "subtype": "AGGREGATION", "description": "", "masking": False}
    inputs = [
        {"namespace": "s3://lake", "name": part, "field": "amount", "transformations": [direct]}
        for part in parts[:250]
    ]
    whole = dataset("whole", columnLineage={"fields": {"total": {"inputFields": inputs}}})
    event = run_event(CLEAN, "COMPLETE", 1, "merge", tuple(parts), (whole,))
    assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    for path, note in (
        (f"/run?id={CLEAN}", "6 further datasets that it read or wrote not shown."),
        ("/job?name=etl/merge", "5 further datasets not shown."),
        ("/dataset?name=whole&column=total", "50 more are not shown."),
        ("/graph?root=whole&level=run", "506 further edges not shown."),
    ):
        page.goto(path)
        expect(page.get_by_text("not shown.")).to_have_text([note])


def test_a_whole_journey_needs_the_keyboard_only(page: Page, airline: Collector) -> None:
    """From the search to the graph, along an edge, to the run that failed, and to its causes."""
    page.goto("/")
    expect(page.get_by_role("combobox")).to_be_focused()
    page.keyboard.type("gold del")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Control+Enter")
    chosen = page.locator(".box.chosen")
    expect(chosen).to_have_attribute("data-name", "s3://lake/gold/delays")
    while not page.evaluate("document.activeElement.matches('.box.chosen .title')"):
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowLeft")
    expect(chosen).to_have_attribute("data-name", "s3://lake/silver/flights")
    expect(chosen.locator(".title")).to_be_focused()
    page.keyboard.press("[")
    expect(page.locator(".box")).to_have_count(3)
    page.keyboard.press("c")
    expect(chosen.locator(".columns")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.locator(".columns")).to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.type("report")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="report")).to_be_visible()
    failed = page.get_by_role("row").filter(has_text="fail").get_by_role("link").first
    while not failed.evaluate("link => link === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    why = page.get_by_role("link", name="Why?")
    expect(why).to_be_visible()
    while not why.evaluate("link => link === document.activeElement"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Causes")).to_be_visible()
    page.go_back()
    expect(why).to_be_visible()


def test_enter_opens_a_hit_of_the_text_that_is_in_the_field(page: Page, airline: Collector):
    held: list[Route] = []
    page.goto("/runs")
    field = page.get_by_role("combobox")
    field.fill("silver/flights")
    expect(page.get_by_role("option").first).to_contain_text("silver/flights")
    page.route("**/search?*", lambda route: held.append(route), times=1)
    with page.expect_request("**/search?*"):
        field.fill("s3://lake/gold/delays")
    expect(page.locator(".search").get_by_role("status")).to_have_text("Searching…")
    field.press("Enter")
    assert page.url.endswith("/runs")
    held[0].continue_()

    expect(page).to_have_url(f"{airline.url}/dataset?name=s3%3A%2F%2Flake%2Fgold%2Fdelays")


def test_runs_with_one_prefix_are_distinguishable(page: Page, collector: Collector):
    # As the runs of all tasks of a logical date of Airflow.
    ids = [f"01a229c0-6c2e-7{n}bc-8def-0123456789a{n}" for n in range(2)]
    for n, run in enumerate(ids):
        event = run_event(run, "COMPLETE", n, f"task{n}", ("raw",), (f"t{n}",))
        assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    page.goto(f"/compare?before={ids[0]}&after={ids[1]}")
    links = page.locator("main a.code")
    expect(links).to_have_text(["01a229c0…6789a0", "01a229c0…6789a1"])
    page.goto("/graph?root=s3://lake/t0&level=run")
    expect(page.locator(f'.box[data-name="{ids[0]}"]')).to_contain_text("run 01a229c0…6789a0")


def test_a_table_says_that_there_are_more_runs(page: Page, collector: Collector):
    events = [
        run_event(
            str(UUID(int=n)), "COMPLETE", n, "once" if n == 0 else "load", ("raw",), ("mart",)
        )
        for n in range(32)
    ]
    assert collector.post("/api/v1/lineage/batch", f"[{','.join(events)}]").ok
    collector.drawn().close()
    more = page.get_by_text("More are not shown.")
    for path, rows, number in (
        ("/dataset?name=mart", 20, 1),
        ("/job?name=load", 30, 1),
        ("/job?name=once", 1, 0),
        ("/", 10, 1),
    ):
        page.goto(path)
        expect(page.get_by_role("table").last.get_by_role("row")).to_have_count(rows + 1)
        expect(more).to_have_count(number)


def test_a_time_without_an_offset_is_utc(page: Page, airline: Collector):
    with page.expect_request("**/neighbours?*time=2026-03-03T00%3A00%3A00Z*"):
        page.goto("/graph?root=s3://lake/gold/delays&time=2026-03-03T00:00:00")
    expect(page.get_by_text("As of 2026-03-03 00:00:00 UTC")).to_be_visible()
    page.goto("/compare?dataset=gold/delays")
    page.get_by_label("Start").fill("2026-03-03 00:00")
    page.get_by_label("End").fill("2026-03-08")
    with page.expect_request("**/dataset-diff?*start=2026-03-03+00%3A00Z&end=2026-03-08T00*00Z&*"):
        page.get_by_role("button", name="Compare times").click()
    expect(page.get_by_text("from 2026-03-03 00:00:00 to 2026-03-08 00:00:00")).to_be_visible()


def test_what_is_copied_over_plain_http_can_be_pasted(page: Page, airline: Collector):
    # Browsers have no clipboard object in pages of plain HTTP from another machine.
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.goto("/dataset?name=silver/flights")
    page.get_by_role("button", name="Copy command").click()
    expect(page.get_by_role("button", name="Copied")).to_have_count(1)
    field = page.get_by_role("combobox")
    field.press("ControlOrMeta+v")
    expect(field).to_have_value("lineage show silver/flights")


def test_descriptions_keep_their_lines(page: Page, collector: Collector):
    text = "One row a flight.\nWithout cancelled flights."
    schema = {"fields": [{"name": "delay", "type": "double", "description": text}]}
    flights = dataset("flights", documentation={"description": text}, schema=schema)
    event = run_event(CLEAN, "COMPLETE", 0, "load", (), (flights,))
    assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    page.goto("/dataset?name=flights")
    lines = page.locator(".lines")
    expect(lines).to_have_count(2)
    assert lines.all_inner_texts() == [text, text]


def test_a_dataset_with_an_ambiguous_full_name_is_opened_by_the_name_of_the_error(
    page: Page, collector: Collector, faults: Faults
):
    # One producer names the object s3://lake/data/x by the key /data/x, another by data/x.
    for n, name in enumerate(("/data/x", "data/x")):
        event = run_event(str(UUID(int=n)), "COMPLETE", n, f"job{n}", (name,), ())
        assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    faults.expected.append("409")
    page.goto("/dataset?name=s3://lake/data/x")
    expect(page.get_by_role("alert")).to_contain_text("s3://lake:/data/x, s3://lake:data/x")
    page.goto("/dataset?name=s3://lake:/data/x")
    runs = page.get_by_role("table", name="Runs that wrote or read it").get_by_role("row")
    expect(runs).to_have_count(2)
    expect(runs.last).to_contain_text("etl/job0")
    expect(page.get_by_role("alert")).to_have_count(0)
