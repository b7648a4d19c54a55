"""Plan documents of a job with all kinds of plans."""

from __future__ import annotations

import json
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from openlineage.client.serde import Serde
from support.spark.version import SPARK

from lineage.spark.conversion.convert import convert_document
from lineage.spark.document.parser import parse_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.fixtures.spark import SparkSubmit, Submitted

Document = dict[str, Any]
# the exception of raise_error
RAISED = f"{'org.apache.spark.Spark' if SPARK >= (4, 0) else 'java.lang.'}RuntimeException"
TASK = "0190a7e2-5d5b-7c3e-8f00-000000000001"
DAG = "0190a7e2-5d5b-7c3e-8f00-000000000002"
TOLD = {
    "spark.lineage.tags": "team:sales,secretToken:hunter2",
    "spark.openlineage.job.owners.team": "sales@example.com",
}
ENVIRONMENT = {
    "OPENLINEAGE_PARENT_ID": f"airflow://host/nightly.load/{TASK}",
    "OPENLINEAGE_ROOT_PARENT_ID": f"airflow://host/nightly/{DAG}",
    "OPENLINEAGE__NAMESPACE": "nightly",
}


@pytest.fixture(scope="module")
def varied(spark_submit: SparkSubmit) -> Submitted:
    """Run the job once for all tests of this module."""
    job = spark_submit.start("varied.py", conf=TOLD, env=ENVIRONMENT)
    assert job.finish() == 0, job.log[-3000:]
    return job


@pytest.fixture(scope="module")
def ends(varied: Submitted) -> list[Document]:
    return varied.documents(kind="execution_end")


def of_step(ends: list[Document], step: str) -> list[Document]:
    found = [d for d in ends if d["execution"]["description"] == step]
    assert found, f"no execution is described as {step!r}"
    return found


def values(value: object) -> Iterator[dict[str, Any]]:
    """Yield every object inside a value."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from values(inner)


def reads(plan: Document) -> set[str]:
    """Return the last parts of the paths and the database tables of the plan's relations."""
    relations = [n for n in plan["nodes"] if n["op"] in ("LogicalRelation", "DataSourceV2Relation")]
    found = [value for node in relations for value in values(node["args"])]
    paths = {path.rsplit("/", 1)[-1] for v in found if "files" in v for path in v["files"]["paths"]}
    return paths | {v["jdbc"]["dbtable"] for v in found if "jdbc" in v}


def writes(plan: Document) -> str:
    """Return the target of the command at the root of the plan."""
    args = plan["nodes"][plan["root"]]["args"]
    for value in values(args):
        if isinstance(value.get("table"), dict) and "name" in value["table"]:
            return str(value["table"]["name"])
        if "outputPath" in value:
            return str(value["outputPath"]).rsplit("/", 1)[-1]
    options = args["options"]["map"]
    return str(options.get("dbtable") or options["path"].rsplit("/", 1)[-1])


def test_each_root_execution_starts_once_and_ends_once(varied: Submitted):
    kinds = ("execution_start", "execution_end")
    by_kind = {
        kind: Counter(d["execution"]["id"] for d in varied.documents(kind=kind)) for kind in kinds
    }
    assert by_kind["execution_start"] == by_kind["execution_end"]
    assert set(by_kind["execution_end"].values()) == {1}


def test_start_comes_before_end_and_knows_the_plan(varied: Submitted):
    started: dict[int, Document] = {}
    for document in varied.documents():
        if document["kind"] == "execution_start":
            started[document["execution"]["id"]] = document
        elif document["kind"] == "execution_end":
            start = started.pop(document["execution"]["id"])
            assert start["time"] <= document["time"]
            assert document["durationMs"] == document["time"] - start["time"]
            if "plan" in start:
                assert start["plan"]["nodes"] == document["plan"]["nodes"]
    assert not started


def test_nothing_was_lost(varied: Submitted):
    (end,) = varied.documents(kind="application_end")
    assert end["dropped"] == {}
    assert end["shutdown"] is False
    assert end.get("exitCode") == (0 if SPARK >= (4, 0) else None)  # not reported by Spark 3.5


@pytest.mark.parametrize(
    ("step", "read", "written"),
    [
        ("range to parquet", set(), "people"),
        ("parquet to csv", {"c-parquet"}, "c-csv"),
        ("csv to json", {"c-csv"}, "c-json"),
        ("json to orc", {"c-json"}, "c-orc"),
        ("orc to text", {"c-orc"}, "c-text"),
        ("save as table", {"people"}, "people"),
        ("ctas", {"people"}, "kinds"),
        ("insert into", {"people"}, "kinds"),
        ("table with a location", set(), "placed"),
        ("insert into partitions", {"people"}, "placed"),
        ("read of one partition", {"placed"}, "one-partition"),
        ("view over view", {"people"}, "from-view"),
        ("temporary view", {"kinds"}, "from-temporary"),
        ("join, union and aggregate", {"people", "c-json", "kinds"}, "joined"),
        ("scalar subquery", {"people", "kinds"}, "scalar"),
        ("in subquery", {"people", "kinds"}, "in"),
        ("exists subquery", {"people", "kinds"}, "exists"),
        ("pruned by the optimizer", {"people"}, "pruned"),
        ("cte", {"kinds"}, "cte"),
        ("python udf", {"people"}, "udf"),
        ("nested column", {"people"}, "nested"),
        ("write of a cached frame", {"people"}, "cached"),
        ("write after unpersist", {"people"}, "unpersisted"),
        ("without adaptive execution", {"people"}, "not-adaptive"),
        ("second version of file sources", {"c-csv"}, "csv-v2"),
        ("jdbc write", {"people"}, "ORDERS"),
        ("jdbc read", {"ORDERS"}, "from-jdbc"),
    ],
)
def test_a_write_reports_its_inputs_and_outputs(
    ends: list[Document], step: str, read: set[str], written: str
):
    end = of_step(ends, step)[-1]
    assert end["outcome"] == "COMPLETE"
    assert reads(end["plan"]) == read
    assert writes(end["plan"]) == written


@pytest.mark.parametrize(
    ("step", "read"),
    [
        ("text to rows", {"c-text"}),
        ("create view", {"people"}),
        ("insert overwrite directory", {"kinds"}),
        ("first read of a cached frame", {"people"}),
        ("action collect", {"people"}),
        ("action count", {"people"}),
        ("action toLocalIterator", {"people"}),
        ("action take", {"people"}),
        ("noop", {"people"}),
    ],
)
def test_an_action_reports_what_it_read(ends: list[Document], step: str, read: set[str]):
    (end,) = of_step(ends, step)
    assert reads(end["plan"]) == read


def test_an_action_on_a_command_is_not_the_command_again(ends: list[Document]):
    insert, collect = of_step(ends, "action on the result of a command")
    assert (
        insert["plan"]["nodes"][insert["plan"]["root"]]["op"] == "InsertIntoHadoopFsRelationCommand"
    )
    assert [n["op"] for n in collect["plan"]["nodes"]] == ["CommandResult"]
    assert "sql" not in collect


def test_a_nested_execution_is_reported_with_its_root(varied: Submitted, ends: list[Document]):
    (end,) = of_step(ends, "ctas")
    (nested,) = end["nested"]
    rows = {m["node"]: m["values"]["numOutputRows"] for m in nested["metrics"] if m["values"]}
    assert rows["Execute InsertIntoHadoopFsRelationCommand"] == 3
    assert not [d for d in ends if d["execution"]["id"] == nested["id"]]


def test_metrics_say_which_relation_they_are_of(ends: list[Document]):
    (end,) = of_step(ends, "join, union and aggregate")
    nodes = end["plan"]["nodes"]
    rows = {
        nodes[m["relation"]]["args"]["relation"]["files"]["paths"][0].rsplit("/", 1)[-1]: m[
            "values"
        ]
        for m in end["metrics"]
        if "relation" in m
    }
    assert rows["people"]["numOutputRows"] == 20
    assert rows["c-json"]["numOutputRows"] == 20
    assert set(rows) == {"people", "c-json", "kinds"}


def test_a_pruned_scan_is_still_tied_to_its_relation(ends: list[Document]):
    (end,) = of_step(ends, "read of one partition")
    (scan,) = [m for m in end["metrics"] if m["node"].startswith("Scan")]
    assert end["plan"]["nodes"][scan["relation"]]["op"] == "LogicalRelation"
    assert scan["values"]["numOutputRows"] == 7  # the ids 1, 4, ... 19 of 0 to 19


@pytest.mark.parametrize(
    ("step", "read", "written"),
    [
        ("second version of file sources", 20, 20),
        ("jdbc read", 20, 20),
        ("jdbc write", 20, None),  # Spark does not count bytes or files written by JDBC
    ],
)
def test_sources_of_other_kinds_count_their_rows(
    ends: list[Document], step: str, read: int, written: int | None
):
    (event,) = convert_document(parse_document(json.dumps(of_step(ends, step)[-1])))
    (source,), (target,) = event.inputs, event.outputs
    assert source.inputFacets["inputStatistics"].rowCount == read
    told = target.outputFacets.get("outputStatistics")
    assert (told and told.rowCount) == written


@pytest.mark.parametrize(
    ("step", "start"),
    [
        ("ctas", "CREATE TABLE kinds"),
        ("insert into", "INSERT INTO kinds"),
        ("create view", "CREATE VIEW big"),
        ("cte", "WITH a AS"),
        ("scalar subquery", "SELECT id, (SELECT max(n)"),
        ("view over view", "SELECT name FROM big"),
    ],
)
def test_the_text_of_a_statement_is_recorded_unchanged(ends: list[Document], step: str, start: str):
    assert of_step(ends, step)[0]["sql"].startswith(start)


def test_a_frame_has_no_statement(ends: list[Document]):
    for step in ("action collect", "join, union and aggregate", "python udf"):
        assert "sql" not in of_step(ends, step)[0]


def expression(plan: Document, name: str) -> list[Any]:
    return next(e for e in plan["exprs"] if e[0] == name)


def test_expressions_point_at_what_they_use(ends: list[Document]):
    (end,) = of_step(ends, "python udf")
    plan = end["plan"]
    udf = expression(plan, "PythonUDF")
    assert plan["exprs"][udf[1]][:1] + plan["exprs"][udf[1]][2:3] == ["#", "id"]
    alias = next(e for e in plan["exprs"] if e[0] == "Alias" and e[-1]["name"] == "twice")
    assert plan["exprs"][alias[1]] == udf
    (project,) = [n for n in plan["nodes"] if n["op"] == "Project"]
    assert [plan["exprs"][i] for i in project["args"]["projectList"]] == [alias]


def test_a_subquery_points_at_its_plan(ends: list[Document]):
    (end,) = of_step(ends, "scalar subquery")
    subquery = expression(end["plan"], "ScalarSubquery")
    assert end["plan"]["nodes"][subquery[-1]["plan"]]["op"] == "Aggregate"


def test_what_a_subquery_takes_from_outside_is_reported(ends: list[Document]):
    (end,) = of_step(ends, "exists subquery")
    exprs = end["plan"]["exprs"]
    exists = expression(end["plan"], "Exists")
    assert {exprs[i][2] for i in exists[-1]["outer"] if exprs[i][0] == "#"} == {"kind"}


def test_struct_fields_have_names(ends: list[Document]):
    (end,) = of_step(ends, "nested column")
    assert expression(end["plan"], "CreateNamedStruct")[-1]["names"] == ["id", "name"]
    assert expression(end["plan"], "GetStructField")[-1]["field"] == "name"


def test_nodes_come_after_what_they_stand_on(ends: list[Document]):
    for end in ends:
        for at, node in enumerate(end.get("plan", {}).get("nodes", [])):
            assert all(index < at for index in node.get("in", []) + node.get("inner", []))


@pytest.mark.parametrize(
    ("step", "error", "message"),
    [
        ("path exists", "org.apache.spark.sql.AnalysisException", "PATH_ALREADY_EXISTS"),
        ("late stage", RAISED, "late stage broke"),
        ("python error", "org.apache.spark.api.python.PythonException", "python broke"),
        ("cancelled", "org.apache.spark.SparkException", "cancelled"),
        ("secret in an error", "java.sql.SQLException", "No suitable driver"),
        pytest.param(
            "unknown table",
            "org.apache.spark.sql.catalyst.ExtendedAnalysisException",
            "nowhere",
            marks=pytest.mark.skipif(
                SPARK < (4, 0), reason="Spark 3.5 has no execution of what cannot be analyzed"
            ),
        ),
    ],
)
def test_a_failure_says_what_went_wrong(ends: list[Document], step: str, error: str, message: str):
    (end,) = of_step(ends, step)
    assert end["outcome"] == "FAIL"
    assert end["error"]["class"] == error
    assert message in end["error"]["message"]
    assert "\tat " in end["error"]["stack"]


def test_an_end_is_reported_where_somebody_cleared_the_listeners_of_a_session(ends: list[Document]):
    (end,) = of_step(ends, "listeners cleared")
    assert (end["outcome"], writes(end["plan"])) == ("COMPLETE", "cleared")


def test_the_end_says_when_it_started_and_whether_start_had_the_plan(
    varied: Submitted, ends: list[Document]
):
    starts = {d["execution"]["id"]: d for d in varied.documents(kind="execution_start")}
    for end in ends:
        start = starts[end["execution"]["id"]]
        assert end["started"] == {"time": start["time"], "plan": "plan" in start}


def test_threads_and_sessions_do_not_mix(ends: list[Document]):
    for number in range(4):
        written = {writes(d["plan"]) for d in of_step(ends, f"thread {number}")}
        assert written == {f"thread-{number}-{repeat}" for repeat in range(3)}


def test_secrets_stay_in_the_driver(varied: Submitted, ends: list[Document]):
    assert not [f for f in varied.spool.iterdir() if b"hunter2" in f.read_bytes()]
    (option,) = of_step(ends, "secret in an option")
    command = option["plan"]["nodes"][option["plan"]["root"]]
    assert command["args"]["options"]["map"]["secretToken"] == "*********(redacted)"
    (sql,) = of_step(ends, "secret in sql")
    assert "OPTIONS (path ?, password ?)" in sql["sql"]
    (read,) = of_step(ends, "jdbc read")
    (url,) = [v["jdbc"]["url"] for v in values(read["plan"]["nodes"]) if "jdbc" in v]
    assert url == "jdbc:derby:memory:shop;create=true;user=sa;password=*********(redacted)"


def test_the_application_is_described(varied: Submitted):
    (start,) = varied.documents(kind="application_start")
    app = start["app"]
    assert (app["name"], app["namespace"], app["master"]) == ("Varied", "nightly", "local[2]")
    assert (app["deployMode"], app["driverHost"]) == ("client", "localhost")
    assert app["spark"] == version("pyspark")
    assert app["started"] == start["time"]
    assert Path(app["conf"]["spark.sql.warehouse.dir"].removeprefix("file:")).name == "warehouse"
    assert {d["app"]["run"] for d in varied.documents()} == {app["run"]}


def test_settings_and_environment_are_recorded_unchanged(varied: Submitted, ends: list[Document]):
    (start,) = varied.documents(kind="application_start")
    assert start["app"]["settings"] == {
        "OPENLINEAGE_PARENT_ID": ENVIRONMENT["OPENLINEAGE_PARENT_ID"],
        "OPENLINEAGE_ROOT_PARENT_ID": ENVIRONMENT["OPENLINEAGE_ROOT_PARENT_ID"],
        "spark.lineage.tags": "team:sales,secretToken:*********(redacted)",
        "spark.openlineage.job.owners.team": "sales@example.com",
    }
    (of_session,) = of_step(ends, "without adaptive execution")
    assert of_session["app"]["settings"]["spark.lineage.tags"] == "team:other"


def test_the_run_of_the_task_that_started_it_is_its_parent(varied: Submitted):
    (start,) = varied.documents(kind="application_start")
    (event,) = convert_document(parse_document(json.dumps(start)))
    facet = Serde.to_dict(event)["run"]["facets"]["parent"]
    assert (facet["run"]["runId"], facet["root"]["run"]["runId"]) == (TASK, DAG)
    assert (facet["job"]["namespace"], facet["job"]["name"]) == ("airflow://host", "nightly.load")


def test_no_lock_is_left(varied: Submitted):
    assert [f.suffix for f in varied.spool.iterdir()] == [".jsonl"]
