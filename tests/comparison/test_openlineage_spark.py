"""Comparison of the events of openlineage-spark and of our listener in one application.

Its jar comes from Maven Central: ``make compare``. The results are in
docs/reference/openlineage-spark.md.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from comparison.cases import COMPARED, DIFFERENCES, Difference
from support.spark.recorded import Event, Recorded, told

if TYPE_CHECKING:
    from support.cases.datasets import Case
    from support.fixtures.spark import SparkSubmit

PACKAGE = "io.openlineage:openlineage-spark_2.13:1.53.0"
LISTENERS = (
    "io.lineage.spark.LineageListener",
    "io.openlineage.spark.agent.OpenLineageSparkListener",
)
TESTS = Path(__file__).parents[1]
JOB = TESTS / "comparison" / "jobs" / "both.py"


@dataclass
class Both:
    """The events of both listeners for one application."""

    ours: Recorded
    theirs: dict[str, list[Event]]
    after: list[Event]

    def names(self, found: list[Event], part: str) -> set[tuple[str, str]]:
        """Return namespaces and names, without the random part of the names of part files."""
        return {
            (item["namespace"], re.sub(r"\bpart-.*", "part-*", self.ours.name(item)))
            for event in found
            for item in event.get(part, [])
        }

    def all_theirs(self) -> list[Event]:
        return [event for found in self.theirs.values() for event in found] + self.after


@pytest.fixture(scope="session")
def both(spark_submit: SparkSubmit, tmp_path_factory: pytest.TempPathFactory) -> Both:
    theirs = tmp_path_factory.mktemp("theirs") / "events.jsonl"
    settings = {
        "spark.jars.packages": PACKAGE,
        "spark.default.parallelism": "1",  # several files would be one directory
        "spark.extraListeners": ",".join(LISTENERS),
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(theirs),
    }
    job = spark_submit.start(str(JOB), str(theirs), conf=settings, env={"PYTHONPATH": str(TESTS)})
    assert job.finish(1800) == 1, f"the last query, and no other, is to fail\n{job.log[-3000:]}"
    marks = [json.loads(line) for line in (job.directory / "cases.jsonl").read_text().splitlines()]
    assert [mark["case"] for mark in marks] == [case.name for case in COMPARED], job.log[-3000:]
    return compared(job.directory, theirs.read_bytes(), marks)


def compared(directory: Path, theirs: bytes, marks: list[dict[str, Any]]) -> Both:
    """Return the events of each case; ``marks`` are the ends of the cases in their file."""
    starts = [0, *(mark["until"] for mark in marks)]
    return Both(
        Recorded(directory, told(directory / "spool")),
        {
            mark["case"]: _lines(theirs[start : mark["until"]])
            for start, mark in zip(starts, marks, strict=False)
        },
        _lines(theirs[starts[-1] :]),
    )


def _lines(text: bytes) -> list[Event]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def without_namespaces(names: set[tuple[str, str]]) -> set[str]:
    return {name for _, name in names}


@pytest.mark.parametrize("case", COMPARED, ids=lambda case: case.name)
def test_datasets_have_the_same_names(case: Case, both: Both) -> None:
    ours, theirs = both.ours.ends(case.name), both.theirs[case.name]
    known = DIFFERENCES.get(case.name, Difference("they agree"))
    for part, only_ours, only_theirs in (
        ("inputs", known.reads, known.theirs_reads),
        ("outputs", known.writes, known.theirs_writes),
    ):
        us, them = both.names(ours, part), both.names(theirs, part)
        assert without_namespaces(us - them) == only_ours, known.why
        assert without_namespaces(them - us) - known.sometimes == only_theirs, known.why


def sql_jobs(found: list[Event]) -> list[Event]:
    kinds = [(event, event["job"]["facets"]["jobType"]["jobType"]) for event in found]
    return [event for event, kind in kinds if kind == "SQL_JOB"]


def states(found: list[Event]) -> list[str]:
    return [event["eventType"] for event in found if event["eventType"] not in ("START", "RUNNING")]


def test_a1_an_application_that_failed(both: Both) -> None:
    assert states(both.after)[-1] == "COMPLETE"
    assert both.ours.events[-1]["eventType"] == "FAIL"


def test_a2_a_write_that_failed(both: Both) -> None:
    assert states(sql_jobs(both.theirs["a write that fails"])) == ["FAIL", "COMPLETE"]
    assert states(both.ours.ends("a write that fails")) == ["FAIL"]


def test_a3_a_write_that_failed_before_any_job(both: Both) -> None:
    name = "a write that fails before any job"
    assert states(sql_jobs(both.theirs[name])) == ["COMPLETE"]
    assert states(both.ours.ends(name)) == ["FAIL"]


def test_a6_runs_that_start_and_never_end(both: Both) -> None:
    def unfinished(found: list[Event]) -> int:
        runs = defaultdict(set)
        for event in found:
            runs[event["run"]["runId"]].add(event["eventType"])
        return sum(not kinds & {"COMPLETE", "FAIL", "ABORT"} for kinds in runs.values())

    assert unfinished(both.all_theirs()) > 10
    assert unfinished(both.ours.events) == 0


def test_a8_why_a_run_failed(both: Both) -> None:
    def messages(found: list[Event]) -> list[str]:
        facets = [event["run"]["facets"].get("errorMessage") for event in found]
        return [facet["message"] for facet in facets if facet]

    assert messages(both.theirs["a write that fails"]) == []
    (message,) = messages(both.ours.ends("a write that fails"))
    assert "USER_RAISED_EXCEPTION" in message


def columns(found: list[Event]) -> dict[str, set[str]]:
    """Return the source columns of each written column."""
    made: dict[str, set[str]] = defaultdict(set)
    for event in found:
        for output in event.get("outputs", []):
            fields = output["facets"].get("columnLineage", {}).get("fields", {})
            for name, of in fields.items():
                made[name] |= {source["field"] for source in of["inputFields"]}
    return dict(made)


def test_c23_columns_through_a_python_function(both: Both) -> None:
    assert columns(both.theirs["a Python function"]) == {}
    (made,) = columns(both.ours.ends("a Python function")).values()
    assert made == {"name"}


def test_c21_columns_of_a_scalar_subquery(both: Both) -> None:
    assert columns(both.theirs["a scalar subquery that stands alone"]) == {}
    assert columns(both.ours.ends("a scalar subquery that stands alone")) == {"m": {"id"}}


def test_d36_events_and_jobs_of_one_statement(both: Both) -> None:
    name = "join, group, sort, limit, window"
    theirs = both.theirs[name]
    assert len(theirs) > 8
    assert len({event["job"]["name"] for event in theirs}) == 2
    (end,) = both.ours.ends(name)
    run = end["run"]["runId"]
    assert len([event for event in both.ours.events if event["run"]["runId"] == run]) == 2


def input_statistics(found: list[Event], dataset: str) -> dict[str, Any]:
    """Return the last statistics of an input."""
    told = [
        item["inputFacets"].get("inputStatistics", {})
        for event in found
        for item in event.get("inputs", [])
        if item["name"].endswith(dataset)
    ]
    return {key: value for key, value in told[-1].items() if not key.startswith("_")}


def test_rows_and_bytes_of_one_partition(both: Both) -> None:
    name = "a partition alone is counted where others are pruned"
    theirs = input_statistics(both.theirs[name], "wh/parts")
    ours = input_statistics(both.ours.ends(name), "wh/parts")
    assert set(theirs) == {"size"}
    assert ours == {"rowCount": 3, "fileCount": 1, "size": theirs["size"]}


def test_the_page_has_every_difference() -> None:
    page = (TESTS.parent / "docs/reference/openlineage-spark.md").read_text()
    assert [known.why for known in DIFFERENCES.values() if known.why not in page] == []
    assert PACKAGE.rsplit(":", 1)[1] in page
