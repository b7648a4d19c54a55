"""What the pages of datasets, jobs and runs report of accesses, checks and owners."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from uuid import UUID

import lineage_cli
import pytest
from click.testing import CliRunner
from playwright.sync_api import expect
from support.events.builders import dataset, run_event

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from support.fixtures.collectors import Collector

WROTE, FAILED, RUNNING = (str(UUID(int=n)) for n in (1, 2, 3))


@pytest.fixture
def post(collector: Collector) -> Callable[..., None]:
    def post_events(*events: str) -> None:
        assert collector.post("/api/v1/lineage/batch", f"[{','.join(events)}]").ok
        collector.drawn().close()

    return post_events


def rows(page: Page, caption: str) -> Any:
    return page.get_by_role("table", name=caption).locator("tbody tr")


def test_an_access_has_the_kind_of_the_command(
    page: Page, collector: Collector, post: Callable[..., None]
) -> None:
    for n, (run, state) in enumerate(((WROTE, "COMPLETE"), (FAILED, "ABORT"), (RUNNING, "START"))):
        post(run_event(run, state, n, "load", ("raw",), ("mart",)))
    command = ["runs", "mart", "--format", "json", "--dsn", collector.dsn]
    output = CliRunner().invoke(lineage_cli.main, command).stdout
    kinds = [row["did"] for row in json.loads(output)]
    page.goto("/dataset?name=mart")
    cells = rows(page, "Runs that wrote or read it").locator("td:first-child")
    expect(cells).to_have_text(["writes", "was to write", "wrote"])
    assert cells.all_inner_texts() == kinds
    for run, caption in (
        (WROTE, "Datasets: wrote"),
        (FAILED, "Datasets: was to write"),
        (RUNNING, "Datasets: writes"),
    ):
        page.goto(f"/run?id={run}")
        expect(rows(page, "Datasets: read")).to_contain_text(["s3://lake/raw"])
        expect(rows(page, caption)).to_contain_text(["s3://lake/mart"])
        expect(page.get_by_role("table")).to_have_count(2)


def test_a_change_without_rows_is_reported_as_such(
    page: Page, collector: Collector, post: Callable[..., None]
) -> None:
    post(run_event(WROTE, "COMPLETE", 1, "load", (), ("mart",)))
    page.goto("/dataset?name=mart")
    expect(rows(page, "Runs that wrote or read it")).to_have_count(1)
    expect(page.get_by_text("Dropped")).to_have_count(0)
    for n, change in enumerate(("ALTER", "TRUNCATE", "DROP"), 2):
        changed = dataset("mart", lifecycleStateChange={"lifecycleStateChange": change})
        post(run_event(str(UUID(int=n)), "COMPLETE", n, "ddl", (), (changed,)))
    page.goto("/dataset?name=mart")
    cells = rows(page, "Runs that wrote or read it").locator("td:first-child")
    expect(cells).to_have_text(["dropped", "truncated", "altered", "wrote"])
    expect(page.get_by_text("Dropped 2026-01-01 00:00:04 (UTC) by run")).to_be_visible()
    for n, title in enumerate(("altered", "truncated", "dropped"), 2):
        page.goto(f"/run?id={UUID(int=n)}")
        expect(rows(page, f"Datasets: {title}")).to_contain_text(["s3://lake/mart"])
        command = ["show", str(UUID(int=n)), "--dsn", collector.dsn]
        output = CliRunner().invoke(lineage_cli.main, command).stdout
        assert f"{title:<12}s3://lake/mart" in output.splitlines()


def test_checks_are_on_the_pages_of_their_dataset_and_run(
    page: Page, post: Callable[..., None]
) -> None:
    results = [
        {"assertion": "unique", "column": "id", "success": True},
        {"assertion": "not_null", "column": "id", "success": False, "severity": "error",
         "expected": "0", "actual": "7"},
    ]  # fmt: skip
    mart = dataset("mart", inputFacets={"dataQualityAssertions": {"assertions": results}})
    tests = {"tests": [{"name": "fresh", "status": "skip"}]}
    post(run_event(WROTE, "COMPLETE", 1, "test", (mart,), (), test=tests))
    page.goto("/dataset?name=mart")
    expect(rows(page, "2 checks, 1 failed")).to_contain_text(
        ["✗ failed (error)not_null(id)etl/test07", "✓ passedunique(id)"]
    )
    page.goto(f"/run?id={WROTE}")
    expect(rows(page, "3 checks, 1 failed")).to_contain_text(
        ["✗ failed (error)not_null(id)s3://lake/mart07", "· not knownfresh", "✓ passedunique(id)"]
    )


def test_a_job_has_its_description_its_owners_and_its_source_code(
    page: Page, post: Callable[..., None]
) -> None:
    of_job = {
        "documentation": {"description": "Nightly prices.\nRunbook: wiki/pricing"},
        "ownership": {"owners": [{"name": "oncall:pricing", "type": "MAINTAINER"}]},
        "tags": {"tags": [{"key": "tier1", "value": "true"}, {"key": "cost", "value": "7"}]},
        "sourceCodeLocation": {"url": "https://git/pricing", "version": "abc123"},
    }
    nominal = {"nominalStartTime": "2026-01-01T00:00:00Z", "nominalEndTime": "2026-01-02T00:00:00Z"}
    engine = {"name": "spark", "version": "3.5.1"}
    event = run_event(
        WROTE, "COMPLETE", 1, "pricing", of_job=of_job, nominalTime=nominal,
        processing_engine=engine,
    )  # fmt: skip
    post(event)
    page.goto("/job?name=pricing")
    facts = page.locator("main dl")
    for text in (
        "Nightly prices.\nRunbook: wiki/pricing",
        "oncall:pricing",
        "tier1, cost:7",
        "https://git/pricing, abc123",
    ):
        expect(facts).to_contain_text(text)
    page.goto(f"/run?id={WROTE}")
    expect(facts).to_contain_text("2026-01-01T00:00:00Z to 2026-01-02T00:00:00Z")
    expect(facts).to_contain_text("spark 3.5.1")


def test_the_bars_of_a_dataset_are_of_the_jobs_that_wrote_it_last(
    page: Page, post: Callable[..., None]
) -> None:
    states = ["COMPLETE"] * 4 + ["FAIL"]
    post(
        *(
            run_event(str(UUID(int=n)), state, n, f"load_{n}", (), ("mart",))
            for n, state in enumerate(states)
        ),
        run_event(str(UUID(int=99)), "COMPLETE", 0, "load_4", (), ("mart",)),
    )
    page.goto("/dataset?name=mart")
    titles = page.get_by_role("heading", level=3)
    expect(titles).to_have_text(["etl/load_4", "etl/load_3", "etl/load_2"])
    expect(page.get_by_text("2 further jobs that write it not shown.")).to_be_visible()
