"""The command and the JSON of a page have its answer."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING
from uuid import UUID

import lineage_cli
import pytest
import requests
from click.testing import CliRunner
from playwright.sync_api import expect
from support.events.builders import dataset, derived, run_event, schema
from support.web.answers import wait_for_answers
from support.web.picture import LAKE

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from support.fixtures.collectors import Collector

RUN = str(UUID(int=1))
PARTS = tuple(f"parts/p{n:02}" for n in range(60))


@pytest.fixture
def parts(collector: Collector) -> Collector:
    """Return a collector with a dataset that sixty others are made from."""
    mart = dataset("mart", schema=schema(a="long"), columnLineage=derived(("a", "raw", "b")))
    for event in (
        run_event(str(UUID(int=2)), "COMPLETE", 0, "load", ("raw",), (mart,)),
        run_event(RUN, "FAIL", 1, "split", ("mart",), PARTS),
        run_event(str(UUID(int=3)), "COMPLETE", 2, "split", ("mart",), PARTS),
    ):
        assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    return collector


def output_of_command(page: Page, collector: Collector, form: str = "json") -> str:
    """Run the first command that the page offers, and return what it prints."""
    program, *arguments = shlex.split(page.locator(".elsewhere code").first.inner_text())
    assert program == "lineage"
    command = [*arguments, "--format", form, "--dsn", collector.dsn]
    result = CliRunner().invoke(lineage_cli.main, command)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_has_the_limit_of_the_page(page: Page, parts: Collector) -> None:
    page.goto("/impact?dataset=mart")
    expect(page.get_by_text("60 datasets and 1 job depend on it.")).to_be_visible()
    output = output_of_command(page, parts, "jsonl")
    assert [name for name in PARTS if f"{LAKE}{name}" not in output] == []
    page.goto(f"/why?run={RUN}")
    expect(page.locator(".elsewhere code")).to_have_text(f"lineage root-cause {RUN} --limit 100")
    page.goto(f"/graph?root={LAKE}mart&level=run")
    expect(page.locator(".elsewhere code")).to_contain_text("--runs --limit 500")


def test_the_lineage_of_a_column_has_its_command_and_its_json(page: Page, parts: Collector) -> None:
    page.goto("/dataset?name=mart&column=a")
    expect(page.get_by_role("table", name="Derives from")).to_contain_text(f"{LAKE}raw")
    assert f"{LAKE}raw" in output_of_command(page, parts)
    href = page.locator(".panel").get_by_role("link", name="JSON").first.get_attribute("href")
    nodes = requests.get(f"{parts.url}{href}", timeout=60).json()["nodes"]
    assert "raw" in {node["column"]["dataset"]["name"] for node in nodes}


def test_the_command_of_a_job_is_of_the_job_also_if_a_dataset_has_its_name(
    page: Page, collector: Collector
) -> None:
    same = dataset("same", namespace="etl")
    assert collector.post("/api/v1/lineage", run_event(RUN, "COMPLETE", 1, "same", (same,))).ok
    collector.drawn().close()
    page.goto("/job?name=etl/same")
    expect(page.get_by_role("heading", level=1)).to_have_text("same")
    assert output_of_command(page, collector, "text").splitlines()[0].split() == ["job", "etl/same"]


def test_an_option_that_is_false_is_off(page: Page, parts: Collector) -> None:
    for path, options in (("/order", ("observed", "stale")), ("/sources", ("unused", "observed"))):
        for option in options:
            page.goto(f"{path}?{option}=false")
            expect(page.locator(".elsewhere code")).not_to_contain_text(f"--{option}")
            page.goto(f"{path}?{option}=true")
            expect(page.locator(".elsewhere code")).to_contain_text(f"--{option}")


def test_no_message_counts_other_boxes_than_those_of_the_picture(
    page: Page, parts: Collector
) -> None:
    for level, text in (("dataset", "14 datasets"), ("job", ""), ("run", "")):
        page.goto(f"/graph?root={LAKE}mart&level={level}")
        expect(page.locator(".box").first).to_be_visible()
        wait_for_answers(page)
        expect(page.get_by_role("status", name="Last change")).to_have_text(text)
