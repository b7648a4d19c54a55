"""The explorer: boxes that come and go where the reader asks, and keep their places."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from uuid import UUID

import pytest
import requests
from playwright.sync_api import expect
from support.events.builders import dataset, run_event
from support.web.picture import box, places, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext, Page
    from support.fixtures.collectors import Collector

ROOT = "s3://lake/silver/flights"
SOURCES = 15
READERS = 4


@pytest.fixture
def fan(collector: Collector) -> Collector:
    """Return a collector where 15 tables feed silver/flights, which feeds 4; one has 2 readers."""
    events = [
        run_event(
            str(UUID(int=n)), "COMPLETE", n, f"load{n}", (f"raw/t{n:02}",), ("silver/flights",)
        )
        for n in range(SOURCES)
    ]
    for n in range(READERS):
        run = str(UUID(int=100 + n))
        events.append(
            run_event(run, "COMPLETE", 100 + n, f"mart{n}", ("silver/flights",), (f"gold/m{n}",))
        )
    for n in range(2):
        run = str(UUID(int=200 + n))
        events.append(run_event(run, "COMPLETE", 200 + n, f"page{n}", ("gold/m0",), (f"web/p{n}",)))
    assert collector.post("/api/v1/lineage/batch", f"[{','.join(events)}]").ok
    collector.drawn().close()
    return collector


def open_graph(page: Page, fan: Collector, name: str = ROOT) -> None:
    page.goto(f"/graph?root={name}")
    expect(page.locator(".box.chosen")).to_be_visible()


def test_it_opens_with_one_step_on_each_side(page: Page, fan: Collector):
    open_graph(page, fan)

    answer = requests.get(
        f"{fan.url}/api/v1/graph/neighbours", {"dataset": ROOT, "limit": 12}, timeout=60
    ).json()
    position = answer["fields"]["datasets"].index("name")
    assert shown(page) == {row[position] for row in answer["datasets"]}
    assert len(shown(page)) == 1 + 12 + READERS
    expect(box(page, "silver/flights").locator(".side.left")).to_have_text("+3")
    expect(box(page, "gold/m0").locator(".side.right")).to_have_text("+2")
    expect(box(page, "gold/m1").locator(".side")).to_have_count(1)


def test_boxes_keep_their_position_when_one_is_expanded(page: Page, fan: Collector):
    open_graph(page, fan)
    before = places(page)
    box(page, "gold/m0").locator(".side.right").click()
    expect(box(page, "web/p0")).to_be_visible()
    box(page, "silver/flights").locator(".side.left").click()
    expect(page.get_by_role("status", name="Last change")).to_have_text(
        "3 datasets added upstream of s3://lake/silver/flights."
    )

    after = places(page)
    assert {name: after[name] for name in before} == before
    assert len(after) == 1 + SOURCES + READERS + 2


def test_no_two_boxes_overlap(page: Page, fan: Collector):
    open_graph(page, fan)
    box(page, "silver/flights").locator(".side.left").click()
    expect(page.locator(".box")).to_have_count(1 + SOURCES + READERS)

    script = "boxes => boxes.map(box => box.getBoundingClientRect().toJSON())"
    areas = page.locator(".box").evaluate_all(script)
    for number, one in enumerate(areas):
        for other in areas[:number]:
            apart = (
                one["right"] <= other["left"] or other["right"] <= one["left"]
                or one["bottom"] <= other["top"] or other["bottom"] <= one["top"]
            )  # fmt: skip
            assert apart, (one, other)


def test_folding_hides_what_only_that_side_brought_and_undo_brings_it_back(
    page: Page, fan: Collector
):
    open_graph(page, fan)
    box(page, "gold/m0").locator(".side.right").click()
    expect(box(page, "web/p0")).to_be_visible()
    before = places(page)
    box(page, "gold/m0").get_by_role("button", name="Fold downstream").click()
    expect(box(page, "web/p0")).to_have_count(0)
    expect(box(page, "gold/m0").locator(".side.right")).to_have_text("+2")
    page.get_by_role("button", name="Undo").click()

    expect(box(page, "web/p0")).to_be_visible()
    assert places(page) == before


def test_folding_the_downstream_side_of_the_root_hides_all_downstream(page: Page, fan: Collector):
    open_graph(page, fan)
    box(page, "gold/m0").locator(".side.right").click()
    expect(box(page, "web/p0")).to_be_visible()
    box(page, "silver/flights").get_by_role("button", name="Fold downstream").click()

    expect(page.locator(".box")).to_have_count(1 + 12)
    assert not {"gold/m0", "web/p0"} & shown(page)


def test_a_link_opens_the_same_boxes_at_the_same_places_in_a_fresh_browser(
    page: Page, fan: Collector, open_context: Callable[..., BrowserContext]
):
    open_graph(page, fan)
    box(page, "gold/m0").locator(".side.right").click()
    expect(box(page, "web/p1")).to_be_visible()
    other = open_context().new_page()
    other.goto(page.url)
    expect(box(other, "web/p1")).to_be_visible()

    assert places(other) == places(page)


def test_a_link_has_the_boxes_whose_datasets_got_another_name(page: Page, fan: Collector):
    open_graph(page, fan, "s3://lake/gold/m0")
    before = places(page)
    link = page.url
    renamed = dataset("a_first/m0", also=("gold/m0",))
    event = run_event(str(UUID(int=300)), "COMPLETE", 300, "rename", (), (renamed,))
    assert fan.post("/api/v1/lineage", event).ok
    fan.drawn().close()
    page.goto("/")
    page.goto(link)
    expect(box(page, "web/p0")).to_be_visible()

    assert shown(page) == {"silver/flights", "a_first/m0", "web/p0", "web/p1"}
    moved = {name.replace("gold/m0", "a_first/m0"): place for name, place in before.items()}
    assert places(page) == moved


def test_the_list_has_the_same_datasets_and_one_selection_with_the_picture(
    page: Page, fan: Collector
):
    open_graph(page, fan)
    table = page.get_by_role("table")
    rows = table.get_by_role("rowheader").all_inner_texts()
    assert {row.removeprefix("s3://lake/") for row in rows} == shown(page)
    table.get_by_role("button", name="s3://lake/gold/m1").click()

    expect(page.locator(".box.chosen")).to_have_attribute("data-name", "s3://lake/gold/m1")


def test_the_keyboard_alone_walks_along_edges_expands_and_folds(page: Page, fan: Collector):
    open_graph(page, fan)
    title = box(page, "silver/flights").locator(".title")
    title.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".box.chosen")).to_have_attribute("data-name", "s3://lake/gold/m1")
    page.keyboard.press("ArrowUp")
    expect(box(page, "gold/m0").locator(".title")).to_be_focused()
    page.keyboard.press("]")
    expect(box(page, "web/p0")).to_be_visible()
    page.keyboard.press("ArrowRight")

    chosen = page.locator(".box.chosen")
    expect(chosen).to_have_attribute("data-name", re.compile("/web/p[01]$"))
    expect(chosen.locator(".title")).to_be_focused()


COLUMNS = {"fields": [{"name": name, "type": "string"} for name in ("key", "value", "note")]}


def derived(source: str, **inputs: str) -> dict[str, object]:
    def input_of(column: str) -> dict[str, object]:
        how = {"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}
        return {
            "namespace": "s3://lake", "name": source, "field": column, "transformations": [how],
        }  # fmt: skip

    return {
        "fields": {name: {"inputFields": [input_of(source)]} for name, source in inputs.items()}
    }


def test_a_column_lights_its_way_through_the_open_boxes(page: Page, collector: Collector):
    raw = dataset("raw", schema=COLUMNS)
    clean = dataset("clean", schema=COLUMNS, columnLineage=derived("raw", key="key", value="note"))
    mart = dataset("mart", schema=COLUMNS, columnLineage=derived("clean", key="value"))
    for n, (source, target) in enumerate(((raw, clean), (clean, mart))):
        event = run_event(str(UUID(int=n)), "COMPLETE", n, f"job{n}", (source,), (target,))
        assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    open_graph(page, collector, "s3://lake/clean")
    for name in ("raw", "clean", "mart"):
        box(page, name).get_by_role("button", name="Columns of").click()
        expect(box(page, name).locator(".columns li")).to_have_count(3)
    box(page, "mart").get_by_role("button", name="key").click()

    lit = page.locator(".columns button.lit")
    expect(lit).to_have_text(["note", "value", "key"])


def test_tidy_lays_out_anew_and_can_be_undone(page: Page, fan: Collector):
    open_graph(page, fan)
    before = places(page)
    page.get_by_role("button", name="Tidy").click()
    expect(page.get_by_role("status", name="Last change")).to_have_text("Laid out anew.")
    assert set(places(page)) == set(before)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status", name="Last change")).to_have_text("Undone.")

    assert places(page) == before


def test_the_minimap_moves_the_picture_to_what_is_not_on_the_screen(
    page: Page, fan: Collector
) -> None:
    page.goto(f"/graph?root={ROOT}")
    expect(box(page, "silver/flights")).to_be_visible()
    minimap = page.locator(".minimap")
    for _ in range(4):
        page.get_by_role("button", name="Zoom in").click()
    area = minimap.bounding_box()
    assert area is not None
    minimap.click(position={"x": area["width"] - 25, "y": area["height"] / 2})
    expect(page.locator('.box[data-name^="s3://lake/gold/"]').first).to_be_in_viewport()
    page.get_by_role("button", name="Fit").click()
    expect(minimap).to_have_count(0)


def test_only_the_paths_to_the_selected_box_remain(page: Page, fan: Collector) -> None:
    page.goto(f"/graph?root={ROOT}")
    box(page, "gold/m0").get_by_role("button", name="Show 2 hidden datasets downstream").click()
    box(page, "web/p1").locator(".title").click()
    page.get_by_role("button", name="Only the ways to p1").click()
    expect(page.locator(".box")).to_have_count(3)
    assert shown(page) == {"silver/flights", "gold/m0", "web/p1"}
    page.get_by_role("button", name="Undo").click()
    expect(box(page, "web/p0")).to_be_visible()


def test_the_datasets_of_paths_open_as_a_picture(page: Page, fan: Collector) -> None:
    page.goto("/path?from=raw/t03&to=web/p1")
    page.get_by_role("link", name="Graph of these datasets").click()
    expect(page.locator(".box")).to_have_count(4)
    assert shown(page) == {"raw/t03", "silver/flights", "gold/m0", "web/p1"}
    lefts = [int(left.removesuffix("px")) for left, _ in places(page).values()]
    assert len(set(lefts)) == 4  # one step, one column of boxes
    page.goto(f"/impact?dataset={ROOT}")
    page.get_by_role("link", name="Graph of the nearest").click()
    expect(page.locator(".box")).to_have_count(7)


def test_the_link_of_a_hundred_datasets_can_be_requested(page: Page, collector: Collector) -> None:
    names = tuple(f"exports/{n:03}/{'of_the_flights_by_hour_' * 3}.parquet" for n in range(100))
    event = run_event(str(UUID(int=1)), "COMPLETE", 1, "export", ("flights",), names)
    assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    page.goto("/impact?dataset=flights")
    link = page.get_by_role("link", name="Graph of the nearest")
    page.goto(link.get_attribute("href") or "")
    expect(page.get_by_role("status", name="Last change")).to_have_text("101 datasets")
    page.reload()
    expect(page.get_by_role("status", name="Last change")).to_have_text("101 datasets")
    assert len(page.url.split("#")[0]) < 200


def test_datasets_with_one_full_name_are_omitted_and_counted(
    page: Page, collector: Collector
) -> None:
    # One producer names the object s3://lake/data/x by the key /data/x, another by data/x.
    event = run_event(
        str(UUID(int=1)), "COMPLETE", 1, "copy", ("/data/x", "data/x", "raw"), ("data/y",)
    )
    assert collector.post("/api/v1/lineage", event).ok
    collector.drawn().close()
    page.goto("/graph?root=s3://lake/data/y")
    expect(page.get_by_text("1 name that matches no single dataset not shown.")).to_be_visible()
    expect(page.locator(".list caption")).to_contain_text("2 nodes, 1 edge")
    assert shown(page) == {"data/y", "raw"}
    expect(box(page, "data/y").locator(".side.left")).to_have_text("+2")
