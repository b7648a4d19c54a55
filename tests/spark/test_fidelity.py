"""Reads and writes of real Spark jobs, compared with the semantics of their SQL."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from support.cases.datasets import CASES, Case
from support.events.openlineage_schema import assert_valid
from support.spark.recorded import TESTS, Event, Recorded, run
from support.spark.version import SPARK

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return run(TESTS / "spark" / "jobs" / "fidelity.py", tmp_path_factory.mktemp("fidelity"))


each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@each_case
def test_it_reads(case: Case, recorded: Recorded) -> None:
    ends = recorded.ends(case.name)
    assert ends, "the case gave no event"
    assert recorded.named([item for event in ends for item in event["inputs"]]) == case.reads


@each_case
def test_it_writes(case: Case, recorded: Recorded) -> None:
    outputs = [item for event in recorded.ends(case.name) for item in event["outputs"]]
    assert recorded.named(outputs) == case.writes
    changes = {
        item["facets"].get("lifecycleStateChange", {}).get("lifecycleStateChange")
        for item in outputs
    }
    assert changes == ({case.change} if case.writes else set())


@each_case
def test_unresolved_operators_are_marked(case: Case, recorded: Recorded) -> None:
    markers = [
        item["operator"]
        for event in recorded.ends(case.name)
        for item in event["run"]["facets"].get("lineage_unresolved", {}).get("items", [])
    ]
    assert set(markers) == case.unresolved


@each_case
def test_the_end_state_matches_the_job(case: Case, recorded: Recorded) -> None:
    states = {event["eventType"] for event in recorded.ends(case.name)}
    assert states == ({"FAIL"} if case.fails else {"COMPLETE"})


@pytest.mark.parametrize(
    ("case", "mode"),
    [
        ("CREATE TABLE", "create"),
        ("LIKE", "create"),
        ("RENAME", "rename"),
        ("DROP", "drop"),
        ("CREATE TABLE at a location", "alter"),
        ("LIKE, at a location", "alter"),
        ("RENAME of an external table leaves it where it is", "alter"),
        ("DROP of an external table", "alter"),
        ("a table that will be made again", "create"),
        ("it is dropped", "alter"),
    ],
)
def test_a_definition_of_an_external_table_leaves_its_rows(
    case: str, mode: str, recorded: Recorded
) -> None:
    modes = [
        item["outputFacets"]["lineage_write"]["mode"]
        for event in recorded.ends(case)
        for item in event["outputs"]
    ]
    assert modes == [mode]


def test_a_frame_in_the_text_of_a_query_is_of_one_job(recorded: Recorded) -> None:
    jobs = [event["job"]["name"] for event in recorded.ends("a frame in the text of a query")]
    assert Counter(jobs) == {"fidelity.create_view_command": 2, "fidelity.collect": 2}


@pytest.mark.skipif(SPARK < (4, 0), reason="Spark 3.5 runs each insert as an execution of its own")
def test_an_insert_has_the_sources_of_its_own_query(recorded: Recorded) -> None:
    (event,) = recorded.ends("two inserts, of which one reads another table")
    sources = {
        recorded.name(output): recorded.named(output["facets"]["lineage"]["inputs"])
        for output in event["outputs"]
        if "lineage" in output["facets"]
    }
    assert sources == {"wh/twice": {"wh/sales"}}  # the other output comes from all inputs


def test_every_run_starts_once_and_ends_once_under_one_name(recorded: Recorded) -> None:
    runs = defaultdict(list)
    for event in (e for e in recorded.events if is_batch(e)):
        runs[event["run"]["runId"]].append(event)
    for of_run in runs.values():
        states = [event["eventType"] for event in of_run]
        assert (states[0], len(states)) == ("START", 2), of_run[0]["job"]["name"]
        assert len({event["job"]["name"] for event in of_run}) == 1


def is_batch(event: Event) -> bool:
    return "lineage_streaming_query" not in event["run"]["facets"]


def test_a_start_promises_what_the_end_says(recorded: Recorded) -> None:
    """Exception: the location of a table of saveAsTable without a database, known at the end."""
    starts = {e["run"]["runId"]: e for e in recorded.events if e["eventType"] == "START"}
    for end in (event for event in recorded.events if event["eventType"] != "START"):
        start = starts[end["run"]["runId"]]
        for part in ("inputs", "outputs"):
            promised = {(item["namespace"], item["name"]) for item in start[part]}
            assert promised <= {(item["namespace"], item["name"]) for item in end[part]}


def test_the_events_are_as_the_spec_wants_them(recorded: Recorded) -> None:
    for event in recorded.events:
        assert_valid(event)


def test_the_failure_is_reported_with_its_message(recorded: Recorded) -> None:
    (failed,) = recorded.ends("a write that fails")
    message = failed["run"]["facets"]["errorMessage"]["message"]
    # Spark 3.5 throws the argument of raise_error without an error class.
    assert ("[USER_RAISED_EXCEPTION]" if SPARK >= (4, 0) else "RuntimeException: ann") in message


@pytest.mark.skipif(SPARK < (4, 3), reason="Spark has no execution of it")
def test_a_statement_that_cannot_be_analyzed_is_named_by_what_it_was_to_write(
    recorded: Recorded,
) -> None:
    (failed,) = recorded.ends("an INSERT that names no column of its source")
    assert failed["job"]["name"] == "fidelity.insert_into_statement.mart_target"


def counts(ends: list[Event], part: str, facet: str, recorded: Recorded) -> dict[str, list[Any]]:
    """Return rows and files of each dataset, one pair for each execution that has it."""
    found = defaultdict(list)
    for event in ends:
        for item in event[part]:
            told = item[f"{part[:-1]}Facets"].get(facet)
            pair = (told["rowCount"], told.get("fileCount")) if told else None
            found[recorded.name(item)].append(pair)
    return found


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.counts], ids=lambda case: case.name
)
def test_rows_and_files_are_what_was_read_and_written(case: Case, recorded: Recorded) -> None:
    ends, expected = recorded.ends(case.name), case.counts
    assert expected
    read = counts(ends, "inputs", "inputStatistics", recorded)
    written = counts(ends, "outputs", "outputStatistics", recorded)
    assert {name: read[name] for name in expected.read} == expected.read
    assert {name: written[name] for name in expected.written} == expected.written


def test_bytes_are_those_of_the_files(recorded: Recorded) -> None:
    (end,) = recorded.ends("a partition alone is counted where others are pruned")
    (read,), (written,) = end["inputs"], end["outputs"]

    def size(directory: Path, pattern: str) -> int:
        return sum(file.stat().st_size for file in directory.glob(pattern))

    monday = recorded.directory / "wh/parts/day=mon"
    assert read["inputFacets"]["inputStatistics"]["size"] == size(monday, "*.parquet")
    exported = recorded.directory / "mon_json"
    assert written["outputFacets"]["outputStatistics"]["size"] == size(exported, "*.json")


def test_rows_are_those_of_each_output(recorded: Recorded) -> None:
    (case,) = [case for case in CASES if case.name == "two inserts of one scan"]
    ends = recorded.ends(case.name)
    assert len(ends) == (1 if SPARK >= (4, 0) else 2)  # one per insert in Spark 3.5
    rows = {
        item["name"].rsplit("/", 1)[1]: item["outputFacets"]["outputStatistics"]["rowCount"]
        for end in ends
        for item in end["outputs"]
    }
    assert rows == {"target": 2, "days": 1}


def test_rows_are_those_of_each_input(recorded: Recorded) -> None:
    (case,) = [case for case in CASES if case.name == "a scalar subquery that stands alone"]
    (end,) = recorded.ends(case.name)
    rows = Counter(
        {
            item["name"].rsplit("/", 1)[1]: item["inputFacets"]["inputStatistics"]["rowCount"]
            for item in end["inputs"]
        }
    )
    assert rows == {"sales": 2, "days": 3}


def test_the_application_is_the_parent_of_all(recorded: Recorded) -> None:
    first, last = recorded.events[0], recorded.events[-1]
    # Spark 3.5 does not report its exit code; the outcome of the last execution is used instead.
    state = "COMPLETE" if SPARK >= (4, 0) else "FAIL"
    assert (first["eventType"], last["eventType"]) == ("START", state)
    assert first["run"]["runId"] == last["run"]["runId"]
    parents = {event["run"]["facets"]["parent"]["run"]["runId"] for event in recorded.events[1:-1]}
    assert parents == {first["run"]["runId"]}
