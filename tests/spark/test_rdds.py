"""Lineage of RDD jobs that run without a SQL execution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from openlineage.client.serde import Serde
from support.spark.recorded import group

from lineage.spark.conversion.applications import convert_applications
from lineage.spark.document.spool import find_applications

if TYPE_CHECKING:
    from support.fixtures.spark import SparkSubmit, Submitted

Event = dict[str, Any]


@pytest.fixture(scope="module")
def job(spark_submit: SparkSubmit) -> Submitted:
    # Generated code and its interpreted fallback store the rows of a broadcast differently.
    compiled = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
    submitted = spark_submit.start("rdds.py", conf=compiled)
    assert submitted.finish() == 0, submitted.log[-3000:]
    return submitted


@pytest.fixture(scope="module")
def told(job: Submitted) -> list[Event]:
    found = convert_applications(find_applications(job.spool), lambda bad: pytest.fail(str(bad)))
    return [Serde.to_dict(event) for event in found]


@pytest.mark.parametrize(
    ("case", "read", "written"),
    [
        ("frame to text", {"people"}, {"lake/ids"}),
        ("text to text", {"texts"}, {"lake/upper"}),
        ("two texts", {"texts", "people"}, {"lake/both"}),
        ("whole texts", {"texts"}, {"lake/whole"}),
        ("binary files", {"texts"}, {"lake/binary"}),
        ("a list to text", set(), {"lake/list"}),
        ("a list to pickles", set(), {"lake/pickles"}),
        ("a signed path", {"texts"}, {"lake/signed"}),
        ("foreach", {"people"}, set()),
        ("foreachPartition", {"people"}, set()),
        ("renamed", {"texts"}, set()),
    ],
)
def test_a_job_of_rdds_reads_and_writes(
    job: Submitted, told: list[Event], case: str, read: set[str], written: set[str]
):
    runs = [event for event in told if group(event) == case]
    assert [event["eventType"] for event in runs] == ["START", "COMPLETE"]
    for event in runs:
        assert names(job, event["inputs"]) == read
        assert names(job, event["outputs"]) == written


@pytest.mark.parametrize(
    ("case", "read", "written"),
    [
        ("foreach that fails", {"people"}, set()),
        ("write that fails", {"texts"}, {"lake/never"}),
    ],
)
def test_a_job_of_rdds_fails(
    job: Submitted, told: list[Event], case: str, read: set[str], written: set[str]
):
    runs = [event for event in told if group(event) == case]
    assert [event["eventType"] for event in runs] == ["START", "FAIL"]
    assert names(job, runs[-1]["inputs"]) == read
    assert names(job, runs[-1]["outputs"]) == written
    assert "no more room" in runs[-1]["run"]["facets"]["errorMessage"]["message"]


def names(job: Submitted, datasets: list[Event]) -> set[str]:
    assert {item["namespace"] for item in datasets} <= {"file"}
    return {item["name"].removeprefix(f"{job.directory}/") for item in datasets}


def test_the_same_read_by_the_same_line_is_one_run(told: list[Event]):
    runs = {e["run"]["runId"] for e in told if group(e) == "the same again and again"}
    assert len(runs) == 1


@pytest.mark.parametrize("case", ["a list alone", "schema"])
def test_what_touches_no_file_is_no_run_of_its_own(told: list[Event], case: str):
    runs = [event for event in told if group(event) == case and event["eventType"] == "COMPLETE"]
    assert not any(event["inputs"] or event["outputs"] for event in runs)


def test_jobs_are_named_after_what_they_do(told: list[Event]):
    jobs = {group(event): event["job"]["name"] for event in told}
    assert jobs["frame to text"] == "rdds.save_as_hadoop_file.lake_ids"
    assert jobs["foreach"] == "rdds.foreach"
    assert "hunter2" not in str(told)


@pytest.mark.parametrize(
    "case", ["broadcast join to text", "broadcast join without generated code"]
)
def test_rows_that_were_broadcast_into_a_job_are_marked(told: list[Event], case: str):
    saved = [e for e in told if group(e) == case and e["eventType"] == "COMPLETE"][-1]
    assert [item["name"].rsplit("/", 1)[1] for item in saved["inputs"]] == ["people"]
    (mark,) = saved["run"]["facets"]["lineage_unresolved"]["items"]
    assert "whose source" in mark["reason"]
    assert "Broadcast" in mark["detail"]


@pytest.mark.parametrize("case", ["frame to text", "text to text", "whole texts"])
def test_a_job_without_a_broadcast_join_has_no_mark_of_one(told: list[Event], case: str):
    ends = [event for event in told if group(event) == case and event["eventType"] == "COMPLETE"]
    assert ends
    assert "Broadcast" not in str([end["run"]["facets"]["lineage_unresolved"] for end in ends])
