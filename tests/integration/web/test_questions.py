"""The pages of impact and of causes, compared with the command line."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import lineage_cli
import pytest
from click.testing import CliRunner
from playwright.sync_api import expect
from support.events.builders import dataset, run_event
from support.web.answers import wait_for_answers

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from support.fixtures.collectors import Collector

GOLD_OWNERS = {"owners": [{"name": "team:finance", "type": "MAINTAINER"}]}
ERROR = {"message": "Table is gone", "programmingLanguage": "JAVA"}


def run_id(number: int) -> str:
    return f"{number:08}-0000-4000-8000-000000000000"


PATHS = (
    "/",
    "/dataset?name=gold",
    "/job?name=clean",
    f"/run?id={run_id(2)}",
    "/runs?state=FAIL",
    "/graph?root=s3://lake/clean",
    "/graph?root=s3://lake/clean&level=job",
    "/graph?root=s3://lake/clean&level=run",
    f"/gantt?run={run_id(3)}",
    "/graph?root=s3://lake/clean&since=2026-01-01T00:00:00Z&include_stale=false&observed=true",
    "/graph?root=s3://lake/clean&time=2026-01-01T00:00:15Z",
    "/impact?dataset=raw",
    "/path?from=raw&to=gold",
    "/order",
    "/sources?products=*/gold&unused=true&observed=true",
    "/order?name=raw&direction=downstream&stale=true&observed=true&workers=2",
    "/order?since=2026-01-01T00:00:00Z&feedback=clean",
    f"/compare?before={run_id(1)}&after={run_id(2)}",
    f"/why?run={run_id(3)}",
    "/health",
    "/compare?dataset=gold&start=2026-01-01T00:00:25Z&end=2026-01-01T00:01:00Z",
)


@pytest.fixture
def chain(collector: Collector) -> Collector:
    """Return a collector with raw -> clean -> gold (of finance) and clean -> side; clean failed."""
    gold = dataset("gold", ownership=GOLD_OWNERS)
    for event in (
        run_event(run_id(1), "COMPLETE", 10, "clean", ("raw",), ("clean",)),
        run_event(run_id(2), "FAIL", 20, "clean", ("raw",), ("clean",), errorMessage=ERROR),
        run_event(run_id(3), "COMPLETE", 30, "report", ("clean",), (gold,)),
        run_event(run_id(4), "COMPLETE", 40, "side", ("clean",), ("side",)),
    ):
        assert collector.post("/api/v1/lineage", event).status_code == 201
    collector.drawn().close()
    return collector


def ask_command(dsn: str, *arguments: str) -> object:
    """Return what a command prints as JSON."""
    result = CliRunner().invoke(lineage_cli.main, [*arguments, "--format", "json", "--dsn", dsn])
    assert result.exit_code in (0, 1), result.output
    return json.loads(result.stdout)


def test_impact_groups_the_datasets_of_the_command_by_owner(page: Page, chain: Collector):
    page.goto("/impact?dataset=raw")

    finance = page.get_by_role("table", name="Datasets of team:finance")
    expect(finance.get_by_role("row").nth(1)).to_contain_text("s3://lake/gold")
    others = page.get_by_role("table", name="Datasets of no owner")
    expect(others.get_by_role("row")).to_have_count(3)
    shown = set(page.locator("table a[href^='/dataset']").all_inner_texts())
    impact = ask_command(chain.dsn, "impact", "raw")
    assert isinstance(impact, dict)
    assert shown == {each["name"] for each in impact["datasets"]}
    assert shown == {"s3://lake/clean", "s3://lake/gold", "s3://lake/side"}
    jobs = page.get_by_role("table", name="Jobs that read it")
    assert set(jobs.get_by_role("link").all_inner_texts()) == {
        "etl/clean", "etl/report", "etl/side",
    }  # fmt: skip


def test_paths_are_queried_by_a_form_and_listed_step_by_step(page: Page, chain: Collector):
    page.goto("/path")
    page.get_by_label("From dataset").fill("raw")
    page.get_by_label("To dataset").fill("gold")
    page.get_by_role("button", name="Show paths").click()

    expect(page.get_by_text("The shortest path has 2 steps.")).to_be_visible()
    steps = page.get_by_role("table", name="Edges").get_by_role("row")
    expect(steps).to_have_count(3)
    expect(steps.nth(1)).to_contain_text("s3://lake/raw")
    expect(steps.nth(2)).to_contain_text("s3://lake/gold")
    expect(page).to_have_url(f"{chain.url}/path?from=raw&to=gold")


def test_a_path_that_only_leads_back_says_so(page: Page, chain: Collector):
    page.goto("/path?from=gold&to=raw")

    expect(page.get_by_text("Against the direction asked")).to_be_visible()


def test_two_runs_are_compared_by_sign_and_word(page: Page, chain: Collector):
    page.goto(f"/run?id={run_id(2)}")
    page.get_by_role("link", name="Compare with another run").click()
    page.get_by_label("Run before").fill(run_id(1))
    page.get_by_role("button", name="Compare runs").click()

    state = page.get_by_role("row").filter(has_text="COMPLETE")
    expect(state).to_contain_text("~ changed")
    expect(state).to_contain_text("FAIL")


def test_a_dataset_is_compared_at_two_times(page: Page, chain: Collector):
    page.goto("/compare?dataset=gold&start=2026-01-01T00:00:25Z&end=2026-01-01T00:01:00Z")

    jobs = page.get_by_role("table", name="Jobs added or removed")
    expect(jobs.get_by_role("row").filter(has_text="etl/report")).to_contain_text("+ added")


def test_health_lists_sources_and_datasets_that_nobody_reads(page: Page, chain: Collector):
    page.goto("/health")

    sources = page.get_by_role("table", name="Read, but not written: external sources")
    expect(sources.get_by_role("link")).to_have_text(["s3://lake/raw"])
    unused = page.get_by_role("table", name="Written, but not read")
    expect(unused.get_by_role("link")).to_have_count(2)
    expect(page.get_by_text("No event was rejected.")).to_be_visible()


def test_the_commands_of_each_page_can_be_run(page: Page, chain: Collector):
    for path in PATHS:
        page.goto(path)
        expect(page.locator(".elsewhere").first).to_be_visible()
        wait_for_answers(page)
        for command in page.locator(".elsewhere code").all_inner_texts():
            program, *arguments = shlex.split(command)
            assert program == "lineage"
            result = CliRunner().invoke(lineage_cli.main, [*arguments, "--dsn", chain.dsn])
            assert result.exit_code in (0, 1), (path, command, result.output)


def test_causes_are_the_sentences_of_the_read_api(page: Page, chain: Collector):
    page.goto(f"/run?id={run_id(3)}")
    page.get_by_role("link", name="Why?").click()

    cause = page.locator(".causes > li").first
    expect(cause).to_contain_text("stale input")
    expect(cause).to_contain_text("clean")
    expect(cause.get_by_role("link", name="s3://lake/clean")).to_be_visible()


def test_a_run_without_a_cause_says_so(page: Page, chain: Collector):
    page.goto(f"/why?run={run_id(1)}")

    expect(page.get_by_text("None of the runs failed")).to_be_visible()
