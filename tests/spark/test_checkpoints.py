"""Lineage through checkpoints of several frames with the same column ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.cases.columns import claimed, edges
from support.spark.recorded import TESTS, Event, Recorded, run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    job: Path = TESTS / "spark" / "jobs" / "checkpoints.py"
    return run(job, tmp_path_factory.mktemp("checkpoints"))


def write_of(recorded: Recorded, name: str) -> Event:
    """Return the terminal event of the run that wrote a dataset."""
    (end,) = [
        event
        for event in recorded.events
        if event["eventType"] == "COMPLETE" and name in recorded.named(event["outputs"])
    ]
    return end


def rows_of(recorded: Recorded, event: Event, name: str) -> set[tuple[str, str, bool]]:
    (output,) = [item for item in event["outputs"] if recorded.name(item) == name]
    return claimed(output["facets"]["columnLineage"].get("dataset", []))


def unresolved(event: Event) -> list[str]:
    facet = event["run"]["facets"].get("lineage_unresolved", {})
    return [item["operator"] for item in facet.get("items", [])]


SRC, RULES, EXT = "wh/src", "wh/rules", "wh/ext"


@pytest.mark.parametrize(
    ("name", "read", "rows"),
    [
        ("local_good", {SRC}, "where(src.v)"),
        ("local_bad", {SRC, RULES}, "join(src.id, rules.id)"),
        ("reliable_bad", {SRC, RULES}, "join(src.id, rules.id)"),
        ("reliable_good", {SRC}, "where(src.v)"),
        ("with_itself", {SRC}, "where(src.v) join(src.id)"),
        ("without_rules", {SRC, RULES}, "join(src.id, rules.id)"),
        ("without_ext", {SRC, EXT}, "join(src.id, ext.id)"),
        ("chain_first", {SRC}, ""),
        ("chain_second", {SRC}, "where(src.v)"),
        ("chain_third", {SRC, RULES}, "join(src.id, rules.id)"),
        ("sorted_first", {SRC}, "order(src.v)"),
        ("sorted_second", {SRC, RULES}, "join(src.id, rules.id) order(src.v)"),
        ("lazy_without_rules", {SRC, RULES}, "join(src.id, rules.id)"),
        ("lazy_without_ext", {SRC, RULES, EXT}, "join(src.id, rules.id, ext.id)"),
        ("of_kept_rows", {RULES}, "join(rules.id)"),
        ("of_rows", set(), ""),
    ],
)
def test_each_frame_has_the_lineage_of_its_own_checkpoint(
    recorded: Recorded, name: str, read: set[str], rows: str
) -> None:
    end = write_of(recorded, f"wh/{name}")
    assert (recorded.named(end["inputs"]), unresolved(end)) == (read, [])
    if name != "of_rows":  # rows without a source have no column lineage
        assert rows_of(recorded, end, f"wh/{name}") == edges(rows)


@pytest.mark.parametrize("name", ["wh/lazy_first", "wh/lazy_second"])
def test_lazy_checkpoints_that_cannot_be_distinguished_are_marked(
    recorded: Recorded, name: str
) -> None:
    end = write_of(recorded, name)
    assert recorded.named(end["inputs"]) <= {SRC}  # of the RDD, until Spark removes its sources
    assert set(unresolved(end)) == {"LogicalRDD"}


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("kept", "where(in.v) join(in.id, rules.id)"),
        ("later", "where(in.v)"),
        ("whole", ""),
    ],
)
def test_a_checkpoint_in_a_micro_batch_has_its_rows_from_the_stream(
    recorded: Recorded, name: str, rows: str
) -> None:
    end = write_of(recorded, name)
    assert (recorded.named(end["inputs"]), unresolved(end)) == ({"in", RULES}, [])
    (output,) = [item for item in end["outputs"] if recorded.name(item) == name]
    fields = output["facets"]["columnLineage"]["fields"]
    columns = {column: claimed(of["inputFields"]) for column, of in fields.items()}
    assert columns == {"id": edges("in.id"), "v": edges("in.v")}
    assert rows_of(recorded, end, name) == edges(rows)
