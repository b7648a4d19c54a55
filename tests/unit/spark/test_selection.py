"""Allow and deny lists of datasets: omitted datasets appear nowhere in the events."""

from __future__ import annotations

import json

import pytest
from support.events.plan_documents import (
    Json,
    Plans,
    application,
    ended,
    events,
    execution_end,
    facet,
    read_by,
    table,
    written_by,
)

SQL = "INSERT INTO t SELECT pay FROM salaries JOIN people"


def document(allow: str = "", deny: str = "", **facts: object) -> Json:
    """Return a document of two tables of files, joined and inserted into a third."""
    plans = Plans()
    salaries = plans.files("s3://hr/salaries", columns=("pay",))
    people = plans.files("file:/lake/people", columns=("name",))
    join = plans.node(
        "Join", salaries, people, out=[*plans.nodes[0]["out"], *plans.nodes[1]["out"]]
    )
    plans.node(
        "InsertIntoHadoopFsRelationCommand",
        inner=[join],
        query={"plan": join},
        outputPath="file:/wh/t",
        outputColumnNames=["pay", "name"],
        mode="Append",
        catalogTable=table("t"),
    )
    settings = {"spark.lineage.datasets.allow": allow, "spark.lineage.datasets.deny": deny}
    execution = {"description": SQL}
    end = execution_end(plans.build(), sql=SQL, execution=execution, **facts)
    end["app"]["settings"] = {name: text for name, text in settings.items() if text}
    return end


FAILURE = {"class": "java.io.IOException", "message": "No s3://hr/salaries", "stack": "salaries"}


@pytest.mark.parametrize(
    ("allow", "deny", "reads", "writes"),
    [
        ("", "", ["s3://hr salaries", "file /lake/people"], ["file /wh/t"]),
        ("", "s3://hr/*", ["file /lake/people"], ["file /wh/t"]),
        ("file:*", "", ["file /lake/people"], ["file /wh/t"]),
        ("file:/wh/*, s3://*", "", ["s3://hr salaries"], ["file /wh/t"]),
        ("file:*", "*/people", [], ["file /wh/t"]),
        ("", "file:/wh/?", ["s3://hr salaries", "file /lake/people"], []),
        ("", "*default.t", ["s3://hr salaries", "file /lake/people"], []),  # its table name
        ("*default.t,*people", "", ["file /lake/people"], ["file /wh/t"]),
        ("", "s3://hr", ["s3://hr salaries", "file /lake/people"], ["file /wh/t"]),
        ("", "s3://hr/salarie[s]", ["s3://hr salaries", "file /lake/people"], ["file /wh/t"]),
    ],
)
def test_the_lists_are_globs_of_full_names_and_deny_wins(
    allow: str, deny: str, reads: list[str], writes: list[str]
) -> None:
    event = ended(document(allow, deny))
    assert (read_by(event), written_by(event)) == (reads, writes)


def test_excluded_datasets_are_counted() -> None:
    filtered = facet(ended(document(deny="s3://hr/*,file:/wh/t"))["run"], "lineage_filtered")
    assert (filtered["inputs"], filtered["outputs"]) == (1, 1)
    assert facet(ended(document(deny="*elsewhere*"))["run"], "lineage_filtered") == {}


@pytest.mark.parametrize("deny", ["s3://hr/*", "*salaries*"])
def test_no_event_names_excluded_datasets(deny: str) -> None:
    for facts in ({}, {"outcome": "FAIL", "error": FAILURE}):
        told = json.dumps(ended(document(deny=deny, **facts)))
        assert "salaries" not in told
        assert "hr" not in json.loads(told)["inputs"][0]["namespace"]


def test_columns_are_those_of_what_is_reported() -> None:
    (output,) = ended(document(deny="s3://hr/*"))["outputs"]
    lineage = facet(output, "columnLineage")
    assert set(lineage["fields"]) == {"name"}
    assert {item["name"] for item in lineage["fields"]["name"]["inputFields"]} == {"/lake/people"}


def test_a_job_is_not_named_by_an_excluded_target() -> None:
    command = "nightly_load.insert_into_hadoop_fs_relation_command"
    assert ended(document())["job"]["name"] == f"{command}.default_t"
    assert ended(document(deny="file:/wh/t"))["job"]["name"] == command


def test_texts_are_reported_where_nothing_is_left_out() -> None:
    event = ended(document(deny="*elsewhere*", outcome="FAIL", error=FAILURE))
    assert facet(event["job"], "sql")["query"] == SQL
    assert "No s3://hr/salaries" in facet(event["run"], "errorMessage")["message"]


def test_where_no_plan_reports_what_is_read_no_text_does() -> None:
    given = document(deny="*elsewhere*", outcome="FAIL", error=FAILURE)
    event = ended({**given, "plan": None})
    assert "salaries" not in json.dumps(event)
    assert facet(event["run"], "errorMessage")["message"] == "java.io.IOException"


def test_the_end_of_an_application_with_lists_quotes_no_error() -> None:
    app = application(settings={"spark.lineage.datasets.deny": "*"})
    end = {"lineage": 1, "kind": "application_end", "time": 1, "app": app}
    (event,) = events({**end, "last": {"outcome": "FAIL", "error": FAILURE}})
    assert "salaries" not in json.dumps(event)
    assert event["eventType"] == "FAIL"
