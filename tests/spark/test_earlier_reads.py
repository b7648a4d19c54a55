"""Run lineage of rows that an earlier execution read: caches, checkpoints and variables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import psycopg
import pytest
from support.spark.recorded import TESTS, Recorded, run

from lineage.ingest.writer import write_events
from lineage.query.runs import trace_runs
from lineage.query.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    Trace = Callable[[str], set[str]]

OF_CACHE = (
    "of cache",
    "of self-join",
    "of union",
    "of saveAsTable",
    "of equal plan",
    "of_writeto",
    "of RDD",
    "first_insert",
    "second_insert",
    "of cache within cache",
)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    job = TESTS / "spark" / "jobs" / "earlier_reads.py"
    return run(job, tmp_path_factory.mktemp("earlier"))


@pytest.fixture
def trace(recorded: Recorded, dsn: str) -> Trace:
    """Return a function for the sources of the run that wrote a dataset."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, map(json.dumps, recorded.events))

    def sources(name: str) -> set[str]:
        with Session(dsn) as session:
            found = trace_runs(session, run_of(recorded, name)["runId"]).dependencies
        names = (recorded.name({"name": item.dataset.name}) for item in found)
        return {name.removeprefix("lake/") for name in names}

    return sources


def run_of(recorded: Recorded, name: str) -> dict[str, str]:
    (end,) = [
        event
        for event in recorded.events
        if event["eventType"] == "COMPLETE"
        and event["inputs"]
        and {f"lake/{name}", f"wh/{name}"} & recorded.named(event["outputs"])
    ]
    return end["run"]  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("name", "sources"),
    [
        ("of checkpoint", {"table", "first"}),
        ("of chain", {"table", "first"}),
        ("of variable", {"table", "first"}),
        ("of both", {"table", "second"}),
        *((name, {"lines", "one"}) for name in OF_CACHE),
        *((f"before unpersist {number}", {"more lines", "one"}) for number in range(6)),
        ("of whole and part", {"mixed lines", "two"}),
        ("of lazy checkpoint", {"other lines", "two"}),
    ],
)
def test_rows_come_from_the_source_as_it_was_when_they_were_read(
    trace: Trace, name: str, sources: set[str]
) -> None:
    assert trace(name) == sources


def test_reads_at_several_times_are_marked(recorded: Recorded) -> None:
    marked = {
        name.removeprefix("lake/")
        for event in recorded.events
        if "at different times" in str(event["run"]["facets"].get("lineage_unresolved"))
        for name in recorded.named(event["outputs"])
    }
    assert marked == {"of both", "of whole and part"}


def test_read_times_are_known(recorded: Recorded) -> None:
    assert "is not known" not in str(recorded.events)


def test_a_run_begins_with_its_own_execution(recorded: Recorded, trace: Trace, dsn: str) -> None:
    run_id = run_of(recorded, "of checkpoint")["runId"]
    begin = "SELECT started_at = first_seen FROM lineage.run WHERE run_id = %s"
    with psycopg.connect(dsn) as conn:
        assert conn.execute(begin, (run_id,)).fetchall() == [(True,)]
