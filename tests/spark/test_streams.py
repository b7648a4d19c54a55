"""Streaming queries: one run each, over all their micro-batches."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from support.events.openlineage_schema import assert_valid
from support.spark.recorded import told

if TYPE_CHECKING:
    from pathlib import Path

    from support.fixtures.spark import SparkSubmit, Submitted

Event = dict[str, Any]


@dataclass
class Streams:
    """The runs of streaming queries by the last part of their job's name, in order of start."""

    job: Submitted
    events: list[Event]
    runs: dict[str, list[list[Event]]]

    def run(self, name: str) -> list[Event]:
        (run,) = self.runs[name]
        return run

    def end(self, name: str) -> Event:
        return self.run(name)[-1]


@pytest.fixture(scope="module")
def streams(spark_submit: SparkSubmit) -> Streams:
    job = spark_submit.start("streams.py")
    assert job.finish() == 0, job.log[-3000:]
    found = told(job.spool)
    by_run: dict[str, list[Event]] = defaultdict(list)
    for event in found:
        if event["job"]["facets"]["jobType"]["processingType"] == "STREAMING":
            by_run[event["run"]["runId"]].append(event)
    runs = defaultdict(list)
    for of_run in by_run.values():
        runs[of_run[0]["job"]["name"].removeprefix("streams.write_to_stream.")].append(of_run)
    return Streams(job, found, runs)


def names(datasets: list[Event]) -> set[str]:
    """Return the names below the lake, and those of tables."""
    return {item["name"].rpartition("/")[2] for item in datasets}


def claimed(inputs: list[Event]) -> set[tuple[str, str]]:
    return {
        (f"{item['name'].rpartition('/')[2]}.{item['field']}", how["subtype"])
        for item in inputs
        for how in item["transformations"]
    }


def columns(event: Event, output: str) -> dict[str, set[tuple[str, str]]]:
    (found,) = [item for item in event["outputs"] if item["name"].endswith(f"/{output}")]
    fields = found["facets"]["columnLineage"]["fields"]
    return {name: claimed(field["inputFields"]) for name, field in fields.items()}


def rows(event: Event, output: str) -> set[tuple[str, str]]:
    (found,) = [item for item in event["outputs"] if item["name"].endswith(f"/{output}")]
    return claimed(found["facets"]["columnLineage"]["dataset"])


def unresolved(event: Event) -> list[str]:
    items = event["run"]["facets"].get("lineage_unresolved", {}).get("items", [])
    return [item["reason"] for item in items]


@pytest.mark.parametrize(
    ("name", "read", "written", "end"),
    [
        ("default_kept", {"people"}, {"kept"}, "COMPLETE"),
        ("graded", {"kept", "grades"}, {"graded"}, "COMPLETE"),
        ("in_memory", {"people"}, set(), "COMPLETE"),
        ("noop", {"people"}, set(), "COMPLETE"),
        ("each row", {"people"}, set(), "COMPLETE"),
        ("failing", {"people"}, {"before failure"}, "FAIL"),
        ("copy 1", {"people"}, {"copy 1"}, "COMPLETE"),
        ("copy 2", {"people"}, {"copy 2"}, "COMPLETE"),
        ("once", {"people"}, {"once"}, "COMPLETE"),
        ("met", {"people", "visits"}, {"met"}, "COMPLETE"),
        ("counted", {"people"}, set(), "COMPLETE"),
        ("lake_from empty", {"empty"}, {"from empty"}, "COMPLETE"),
        ("endless", set(), {"rates"}, "ABORT"),
    ],
)
def test_a_query_is_one_run(
    streams: Streams, name: str, read: set[str], written: set[str], end: str
):
    run = streams.run(name)
    states = [event["eventType"] for event in run]
    assert (states[0], states[-1]) == ("START", end)
    assert set(states[1:-1]) <= {"RUNNING"}
    assert names(run[-1]["inputs"]) == read
    assert names(run[-1]["outputs"]) == written


def test_what_is_known_at_the_start_is_reported_then(streams: Streams):
    start = streams.run("lake_from empty")[0]
    assert (names(start["inputs"]), names(start["outputs"])) == ({"empty"}, {"from empty"})
    assert columns(start, "from empty")["name"] == {("empty.name", "IDENTITY")}


def test_a_restart_is_another_run_of_the_same_job(streams: Streams):
    first, second = streams.runs["lake_big"]
    assert first[0]["run"]["runId"] != second[0]["run"]["runId"]
    read = [facts(run[-1])["sources"][0]["rows"] for run in (first, second)]
    assert read == [2, 1]


def facts(event: Event) -> Event:
    return dict(event["run"]["facets"]["lineage_streaming_query"]["facts"])


def test_rows_are_summed_over_the_batches(streams: Streams):
    end = streams.end("by batch")
    assert facts(end)["batches"] == 2
    statistics = {
        item["name"].rpartition("/")[2]: item["inputFacets"].get("inputStatistics", {})
        for item in end["inputs"]
    }
    assert statistics["people"]["rowCount"] == 3
    assert statistics["grades"] == {}
    assert facts(streams.end("in_memory"))["rowsWritten"] == 3


def test_what_a_stream_writes_comes_from_what_it_reads(streams: Streams):
    assert columns(streams.runs["lake_big"][0][-1], "big") == {
        "id": {("people.id", "IDENTITY")},
        "big": {("people.name", "TRANSFORMATION")},
    }
    assert rows(streams.runs["lake_big"][0][-1], "big") == {("people.id", "FILTER")}
    assert columns(streams.end("graded"), "graded") == {
        "name": {("kept.name", "IDENTITY")},
        "grade": {("grades.grade", "IDENTITY")},
    }


def test_outputs_of_foreach_batch_derive_from_the_inputs_of_the_stream(streams: Streams):
    run = streams.run("by batch")
    assert [event["eventType"] for event in run] == ["START", "RUNNING", "RUNNING", "COMPLETE"]
    first, second = run[1:3]
    assert names(first["outputs"]) == {"joined", "pairs"}
    assert names(second["outputs"]) == {"joined", "later"}
    assert names(first["inputs"]) == names(second["inputs"]) == {"people", "grades"}
    assert columns(first, "joined") == {
        "twice": {("people.id", "TRANSFORMATION")},
        "grade": {("grades.grade", "IDENTITY")},
    }
    assert rows(first, "joined") == {("people.id", "JOIN"), ("grades.id", "JOIN")}
    assert columns(first, "pairs") == {
        "twice": {("people.id", "TRANSFORMATION")},
        "name": {("people.name", "IDENTITY")},
    }
    assert columns(second, "later") == {"name": {("people.name", "IDENTITY")}}
    assert unresolved(first) == unresolved(second) == []


def sources(event: Event, output: str) -> set[str]:
    """Return the sources that an event names for an output; ``JOB`` are all inputs of its run."""
    (found,) = [item for item in event["outputs"] if item["name"].endswith(f"/{output}")]
    inputs = found["facets"]["lineage"]["inputs"]
    return names([item for item in inputs if item["type"] == "DATASET"]) | {
        item["type"] for item in inputs if item["type"] == "JOB"
    }


def test_an_output_of_foreach_batch_comes_from_what_its_own_write_read(streams: Streams):
    first, second = streams.run("by batch")[1:3]
    assert sources(first, "joined") == sources(second, "joined") == {"people", "grades"}
    assert sources(first, "pairs") == sources(second, "later") == {"people"}


def test_each_batch_may_write_from_other_sources(streams: Streams):
    stream, table, driver = streams.run("each its own")[1:4]
    assert sources(stream, "of the stream") == {"parts"}
    assert sources(table, "of a table") == {"grades"}
    # The driver may have made the rows of anything that the run has read.
    assert sources(driver, "of the driver") == {"JOB"}


def test_state_of_groups_and_joins_of_streams_have_columns(streams: Streams):
    assert columns(streams.end("once"), "once")["name"] == {("people.name", "IDENTITY")}
    assert rows(streams.end("once"), "once") == {("people.id", "GROUP_BY")}
    assert columns(streams.end("met"), "met") == {
        "name": {("people.name", "IDENTITY")},
        "place": {("visits.name", "IDENTITY")},
    }
    assert {name for name, _ in rows(streams.end("met"), "met")} == {
        "people.id", "people.at", "visits.id", "visits.at",
    }  # fmt: skip


def test_a_failure_is_reported_and_what_was_done_before_stays(streams: Streams):
    end = streams.end("failing")
    assert "no second batch" in end["run"]["facets"]["errorMessage"]["message"]
    assert facts(end)["batches"] == 1


def test_a_function_of_each_row_is_unresolved(streams: Streams):
    assert unresolved(streams.end("each row")) == ["a function that may write anywhere"]


def test_batches_are_no_runs_of_their_own(streams: Streams):
    described = [
        document["execution"].get("description") or ""
        for kind in ("execution_start", "execution_end")
        for document in streams.job.documents(kind=kind)
    ]
    assert described
    assert not [text for text in described if "runId = " in text]


def test_the_parent_is_the_application(streams: Streams):
    application = streams.events[0]["run"]["runId"]
    parents = {
        event["run"]["facets"]["parent"]["run"]["runId"]
        for runs in streams.runs.values()
        for run in runs
        for event in run
    }
    assert parents == {application}


def test_secrets_in_options_stay_in_the_driver(streams: Streams):
    assert not [f for f in streams.job.spool.iterdir() if b"hunter2" in f.read_bytes()]


def test_the_events_are_as_the_spec_wants_them(streams: Streams):
    for runs in streams.runs.values():
        for run in runs:
            for event in run:
                assert_valid(event)


def test_a_spool_cut_short_loses_no_query(streams: Streams, tmp_path: Path):
    """The spool of a killed driver: earlier events remain, and running queries are aborted."""
    (spool,) = streams.job.spool.glob("*.jsonl")
    lines = spool.read_text().splitlines(keepends=True)
    cut = next(i for i, line in enumerate(lines) if '/later"' in line) + 1
    copy = tmp_path / spool.name
    copy.write_text("".join(lines[:cut]))
    copy.with_name(copy.name[:36] + ".lock").touch()
    found = told(tmp_path)
    ends = [e for e in found if e["job"]["name"].endswith(".by batch")]
    assert [event["eventType"] for event in ends] == ["START", "RUNNING", "RUNNING", "ABORT"]
    assert names(ends[-1]["outputs"]) == {"joined", "later"}
