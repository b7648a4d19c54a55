"""The parent run of an application: its forms in schedulers, and their precedence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.events.plan_documents import Json, application, events, facet

from lineage.spark.document.parent_run import JobRun, Parents, read_parents

RUNS = {n: f"0190a7e2-5d5b-7c3e-8f00-00000000000{n}" for n in range(8)}


def of(number: int, name: str) -> JobRun:
    return JobRun(RUNS[number], "airflow", name)


def context(run: int, root: int | None = None) -> str:
    def part(number: int, name: str) -> Json:
        return {"run": {"runId": RUNS[number]}, "job": {"namespace": "airflow", "name": name}}

    above = {} if root is None else {"root": part(root, "dag")}
    return json.dumps({"parent": {**part(run, "dag.task"), **above}})


SIX_KEYS = {"run": RUNS[2], "namespace": "airflow", "name": "dag.task"}
ALL = {
    "spark.openlineage.context": context(1, 0),
    "OPENLINEAGE_CONTEXT": context(3, 0),
    "OPENLINEAGE_PARENT_ID": f"airflow/dag.task/{RUNS[4]}",
    "OPENLINEAGE_ROOT_PARENT_ID": f"airflow/dag/{RUNS[0]}",
}


def test_the_settings_of_the_application_go_before_its_environment() -> None:
    settings, configured = dict(ALL), dict(SIX_KEYS)
    assert read_parents(configured, settings) == Parents(of(1, "dag.task"), of(0, "dag"))
    del settings["spark.openlineage.context"]
    assert read_parents(configured, settings) == Parents(of(2, "dag.task"), of(2, "dag.task"))
    assert read_parents({}, settings) == Parents(of(3, "dag.task"), of(0, "dag"))
    del settings["OPENLINEAGE_CONTEXT"]
    assert read_parents({}, settings) == Parents(of(4, "dag.task"), of(0, "dag"))
    del settings["OPENLINEAGE_ROOT_PARENT_ID"]
    assert read_parents({}, settings) == Parents(of(4, "dag.task"), of(4, "dag.task"))
    del settings["OPENLINEAGE_PARENT_ID"]
    assert read_parents({}, settings) == Parents()


def test_a_namespace_may_hold_slashes() -> None:
    found = read_parents({}, {"OPENLINEAGE_PARENT_ID": f"airflow://host:8080/dag.task/{RUNS[4]}"})
    assert found.parent == JobRun(RUNS[4], "airflow://host:8080", "dag.task")


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "{",
        "[]",
        "null",
        '{"parent": null}',
        '{"parent": {"run": {"runId": "scheduled__2026"}, "job": {"namespace": "a", "name": "b"}}}',
        json.dumps({"parent": {"run": {"runId": RUNS[1]}, "job": {"namespace": "a"}}}),
        json.dumps({"parent": {"run": {"runId": RUNS[1]}, "job": {"namespace": "", "name": "b"}}}),
    ],
)
def test_an_unreadable_form_is_reported_and_the_next_one_used(wrong: str) -> None:
    found = read_parents(SIX_KEYS, {"spark.openlineage.context": wrong})
    assert found == Parents(
        of(2, "dag.task"), of(2, "dag.task"), unreadable=("spark.openlineage.context",)
    )


@pytest.mark.parametrize(
    "configured", [{"run": RUNS[1]}, {"run": "no-uuid", "namespace": "a", "name": "b"}]
)
def test_a_run_without_its_job_is_no_parent(configured: Json) -> None:
    assert read_parents(configured, {}) == Parents(unreadable=("spark.openlineage.parentRunId",))


@pytest.mark.parametrize("wrong", [RUNS[4], f"dag.task/{RUNS[4]}", f"a//{RUNS[4]}", "a/b/run-7"])
def test_an_id_that_is_not_of_three_parts_is_no_parent(wrong: str) -> None:
    found = read_parents({}, {"OPENLINEAGE_PARENT_ID": wrong})
    assert found == Parents(unreadable=("OPENLINEAGE_PARENT_ID",))


def test_a_wrong_parent_costs_no_event_and_stands_in_the_run_of_the_application() -> None:
    document: dict[str, Any] = {"lineage": 1, "kind": "application_start", "time": 1_000}
    document["app"] = application(parent={"run": "scheduled__2026"})
    (event,) = events(document)
    assert facet(event["run"], "parent") == {}
    (item,) = facet(event["run"], "lineage_unresolved")["items"]
    assert item["operator"] == "spark.openlineage.parentRunId"
    assert item["reason"] == "a setting that cannot be read"
