"""Files of what the explorer shows have its datasets and edges, and no others."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect
from support.events.builders import dataset, run_event

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from support.fixtures.collectors import Collector

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = 'x<script>alert(1)</script>&"\u202e\n=1+1'


@pytest.fixture
def chain(collector: Collector) -> Collector:
    """Return a collector with raw -> clean -> gold -> report, and a hostile source of clean."""
    raw = dataset("raw", schema={"fields": [{"name": "delay", "type": "double"}]})
    for n, (reads, target) in enumerate((((raw, HOSTILE), "clean"), (("clean",), "gold"),
                                         (("gold",), "report"))):  # fmt: skip
        run = f"{n:08}-0000-4000-8000-000000000000"
        event = run_event(run, "COMPLETE", n, f"job{n}", reads, (target,))
        assert collector.post("/api/v1/lineage", event).status_code == 201
    collector.drawn().close()
    return collector


@pytest.fixture
def save(page: Page, chain: Collector, tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that saves the graph of clean, one step on each side, in a format."""
    page.goto("/graph?root=s3://lake/clean")
    expect(page.locator(".box")).to_have_count(4)
    page.get_by_text("Export").click()

    def save_as(label: str) -> Path:
        with page.expect_download() as download:
            page.get_by_role("button", name=label, exact=True).click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return path

    return save_as


def test_svg_shows_each_dataset_and_edge(save: Callable[[str], Path]) -> None:
    path = save("SVG")
    assert path.name == "lineage.svg"
    picture = ElementTree.parse(path).getroot()
    titles = {each.text or "" for each in picture.iterfind(f"{SVG}g/{SVG}title")}
    plain = {title for title in titles if "script" not in title}
    assert plain == {"s3://lake/raw", "s3://lake/clean", "s3://lake/gold"}
    [hostile] = titles - plain
    assert "⟨U+202E⟩⟨U+000A⟩" in hostile
    assert not list(picture.iter(f"{SVG}script"))
    curves = [each for each in picture.iter(f"{SVG}path") if each.get("fill") == "none"]
    assert len(curves) == 3


def test_png_has_the_size_of_the_picture(save: Callable[[str], Path]) -> None:
    svg = ElementTree.parse(save("SVG")).getroot()
    content = save("PNG").read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
    assert (width, height) == (2 * int(svg.attrib["width"]), 2 * int(svg.attrib["height"]))


def test_files_of_the_server_have_the_visible_datasets(
    save: Callable[[str], Path],
) -> None:
    with save("CSV").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["source"], row["target"]) for row in rows} == {
        ("s3://lake/raw", "s3://lake/clean"),
        (f"s3://lake/{HOSTILE}", "s3://lake/clean"),
        ("s3://lake/clean", "s3://lake/gold"),
    }
    graph = ElementTree.parse(save("GraphML")).getroot()
    assert len(graph.findall(".//{*}node")) == 4
    assert save("DOT").read_text().startswith("digraph")
    assert "flowchart" in save("Mermaid").read_text()
    events = [json.loads(line) for line in save("OpenLineage").read_text().splitlines()]
    assert {each["job"]["name"] for each in events if "run" in each} == {"job0", "job1"}
    assert len(json.loads(save("JSON").read_text())["datasets"]) == 4
