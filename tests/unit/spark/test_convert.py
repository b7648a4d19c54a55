"""Conversion of plan documents to OpenLineage events."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openlineage.client.serde import Serde
from support.events.openlineage_schema import assert_valid
from support.events.plan_documents import (
    RUN,
    Json,
    Plans,
    application,
    change,
    ended,
    events,
    execution_end,
    execution_start,
    facet,
    read_by,
    table,
    unresolved,
    written_by,
)

from lineage.spark.conversion.convert import convert_document
from lineage.spark.document.parser import read_document

METRICS = {"numOutputRows": 3, "numOutputBytes": 900, "numFiles": 2}


def insert(**args: Any) -> Json:
    """Return an insert of table ``sales`` into table ``mart.t``."""
    plans = Plans()
    facts = {"outputPath": "file:/wh/mart.db/t", "catalogTable": table("t", "mart")}
    source = plans.table("sales")
    plans.node(
        "InsertIntoHadoopFsRelationCommand", source, out=[], **({"mode": "Append"} | facts | args)
    )
    return plans.build()


def application_end(**facts: Any) -> Json:
    app = application(**facts.pop("app", {}))
    return {"lineage": 1, "kind": "application_end", "time": 90_000, "app": app, **facts}


def application_start(**facts: Any) -> Json:
    return {"lineage": 1, "kind": "application_start", "time": 1_200, "app": application(**facts)}


def error(message: str = "boom") -> Json:
    return {"class": "java.lang.Error", "message": message, "stack": "at X"}


EXAMPLES = {
    "application_start": application_start(),
    "application_end": application_end(exitCode=3, last={"outcome": "FAIL", "error": error()}),
    "start": execution_start(insert()),
    "complete": execution_end(
        insert(),
        sql="INSERT INTO mart.t SELECT * FROM sales",
        metrics=[
            {"node": "Execute Insert", "values": METRICS},
            {"node": "Scan", "relation": 0, "values": {"numOutputRows": 5, "filesSize": 70}},
        ],
    ),
    "fail": execution_end(insert(mode="Overwrite"), outcome="FAIL", error=error()),
    "unresolved": execution_end({"nodes": [{"op": "Odd", "args": {}}], "root": 0}),
}


@pytest.mark.parametrize("document", EXAMPLES.values(), ids=EXAMPLES)
def test_events_are_as_the_spec_wants_them(document: Json) -> None:
    for event in events(document):
        assert_valid(event)


@pytest.mark.parametrize("document", EXAMPLES.values(), ids=EXAMPLES)
def test_converting_again_gives_the_same_events(document: Json) -> None:
    again = json.loads(json.dumps(document))
    assert events(document) == events(again)


def test_an_application_starts_when_spark_says() -> None:
    (event,) = events(application_start())
    assert (event["eventType"], event["eventTime"]) == ("START", "1970-01-01T00:00:01.000Z")
    assert event["run"]["runId"] == RUN
    assert (event["job"]["namespace"], event["job"]["name"]) == ("tests", "nightly_load")
    job_type = facet(event["job"], "jobType")
    assert (job_type["jobType"], job_type["integration"]) == ("APPLICATION", "SPARK")


@pytest.mark.parametrize(
    ("facts", "exit_code", "state", "message"),
    [
        ({"exitCode": 0}, None, "COMPLETE", None),
        ({"exitCode": 0, "last": {"outcome": "FAIL", "error": error()}}, None, "COMPLETE", None),
        ({"exitCode": 1}, None, "FAIL", "Exit code 1"),
        (
            {"exitCode": 1, "last": {"outcome": "FAIL", "error": error()}},
            None,
            "FAIL",
            "Exit code 1; the last execution failed with java.lang.Error: boom",
        ),
        ({}, None, "COMPLETE", None),
        ({"last": {"outcome": "COMPLETE"}}, None, "COMPLETE", None),
        ({"last": {"outcome": "FAIL", "error": error()}}, None, "FAIL", "java.lang.Error: boom"),
        ({"last": {"outcome": "FAIL", "error": error()}}, 0, "COMPLETE", None),
        ({"exitCode": 0}, 137, "FAIL", "Exit code 137"),
    ],
)
def test_an_application_ends_as_its_exit_code_or_else_its_last_execution_says(
    facts: Json, exit_code: int | None, state: str, message: str | None
) -> None:
    (event,) = events(application_end(**facts), exit_code)
    assert event["eventType"] == state
    assert facet(event["run"], "errorMessage").get("message") == message


def test_an_execution_has_one_start_and_one_end_of_one_run() -> None:
    (start,) = events(execution_start(insert()))
    (end,) = events(execution_end(insert()))
    assert (start["eventType"], end["eventType"]) == ("START", "COMPLETE")
    assert start["run"]["runId"] == end["run"]["runId"] != RUN
    assert start["job"]["name"] == end["job"]["name"]
    assert start["job"]["name"] == "nightly_load.insert_into_hadoop_fs_relation_command.mart_t"
    assert (start["eventTime"][-10:], end["eventTime"][-10:]) == ("01:00.000Z", "01:01.500Z")


def test_a_start_that_an_end_gives_counts_nothing() -> None:
    plans = Plans()
    scan = plans.table("sales")
    values = {"numOutputRows": 3}
    scanned = {"node": "Scan parquet", "relation": scan, "read": "4", "values": values}
    document = read_document(execution_end(plans.build(), metrics=[scanned]))
    start, end = (Serde.to_dict(e) for e in convert_document(replace(document, announced=False)))
    assert facet(end["inputs"][0], "inputStatistics")["rowCount"] == 3
    assert facet(end["inputs"][0], "version")["datasetVersion"] == "4"
    assert start["inputs"][0]["name"] == end["inputs"][0]["name"]
    assert facet(start["inputs"][0], "inputStatistics") == {}
    assert facet(start["inputs"][0], "version") == {}


def test_a_start_without_a_plan_is_reported_by_the_end() -> None:
    assert events(execution_start(None)) == []
    document = replace(read_document(execution_end(insert())), announced=False)
    start, end = (Serde.to_dict(event) for event in convert_document(document))
    assert (start["eventType"], end["eventType"]) == ("START", "COMPLETE")
    assert start["eventTime"].endswith("01:00.000Z")
    assert start["run"]["runId"] == end["run"]["runId"]


def test_the_parent_is_the_application_and_the_root_what_started_that() -> None:
    airflow = {"run": RUN.replace("5", "6"), "namespace": "airflow", "name": "dag.task"}
    root = {"run": RUN.replace("5", "7"), "namespace": "airflow", "name": "dag"}
    document = execution_end(insert())
    document["app"]["parent"] = {**airflow, "root": root}
    parent = facet(ended(document)["run"], "parent")
    assert parent["run"]["runId"] == RUN
    assert parent["job"]["name"] == "nightly_load"
    assert parent["root"]["job"]["name"] == "dag"
    (event,) = events(application_start(parent={**airflow, "root": root}))
    above = facet(event["run"], "parent")
    assert above["job"] == {"namespace": "airflow", "name": "dag.task", "facets": {}}
    assert above["root"]["run"]["runId"] == root["run"]


def test_without_a_parent_the_application_is_the_root() -> None:
    parent = facet(ended(execution_end(insert()))["run"], "parent")
    assert parent["root"]["run"]["runId"] == RUN
    (event,) = events(application_start())
    assert facet(event["run"], "parent") == {}


def test_a_write_reports_rows_bytes_and_files_and_a_read_its_own() -> None:
    event = ended(EXAMPLES["complete"])
    (output,), (read,) = event["outputs"], event["inputs"]
    written = facet(output, "outputStatistics")
    assert (written["rowCount"], written["size"], written["fileCount"]) == (3, 900, 2)
    scanned = facet(read, "inputStatistics")
    assert (scanned["rowCount"], scanned["size"]) == (5, 70)
    assert "fileCount" not in scanned


def test_a_relation_over_several_datasets_has_no_count_of_each() -> None:
    plans = Plans()
    plans.files("file:/a", "file:/b")
    metrics = [{"node": "Scan", "relation": 0, "values": {"numOutputRows": 5}}]
    event = ended(execution_end(plans.build(), metrics=metrics))
    assert read_by(event) == ["file /a", "file /b"]
    assert [facet(item, "inputStatistics") for item in event["inputs"]] == [{}, {}]


def test_the_insert_nested_in_a_ctas_reports_its_rows_and_its_place() -> None:
    plans = Plans()
    query = plans.table("sales")
    target = table("t", "mart", location=None)
    plans.node(
        "CreateDataSourceTableAsSelectCommand",
        out=[],
        table=target,
        query={"plan": query},
        inner=[query],
        mode="ErrorIfExists",
    )
    nested = insert(outputPath="file:/elsewhere/t", catalogTable=None)
    metrics = [{"node": "Execute Insert", "values": METRICS}]
    event = ended(
        execution_end(plans.build(), nested=[{"id": 8, "plan": nested, "metrics": metrics}])
    )
    assert written_by(event) == ["file /elsewhere/t"]
    assert change(event) == "CREATE"
    assert facet(event["outputs"][0], "outputStatistics")["rowCount"] == 3
    assert read_by(event) == ["file /wh/sales"]


def test_a_ctas_that_finds_its_table_there_reads_and_writes_nothing() -> None:
    plans = Plans()
    query = plans.table("sales")
    args = {"table": table("t"), "query": {"plan": query}, "mode": "Ignore"}
    plans.node("CreateDataSourceTableAsSelectCommand", out=[], inner=[query], **args)
    plan = plans.build()
    (start,) = events(execution_start(plan))
    end = ended(execution_end(plan))
    for event in (start, end):
        assert (read_by(event), written_by(event)) == ([], [])
        assert event["job"]["name"].endswith("as_select_command.default_t")


def test_a_failed_execution_keeps_what_it_was_to_read_and_write() -> None:
    event = ended(EXAMPLES["fail"])
    assert event["eventType"] == "FAIL"
    assert (read_by(event), written_by(event)) == (["file /wh/sales"], ["file /wh/mart.db/t"])
    message = facet(event["run"], "errorMessage")
    assert message["message"] == "java.lang.Error: boom"
    assert (message["programmingLanguage"], message["stackTrace"]) == ("JAVA", "at X")


def test_a_table_is_named_by_its_location_and_known_by_its_name() -> None:
    (output,) = ended(execution_end(insert()))["outputs"]
    symlink = {"namespace": "file:/wh", "name": "mart.t", "type": "TABLE"}
    assert facet(output, "symlinks")["identifiers"] == [symlink]
    assert facet(output, "dataSource")["name"] == "file"
    assert facet(output, "storage")["fileFormat"] == "parquet"


def test_a_table_outside_the_warehouse_is_known_by_a_shared_metastore_alone() -> None:
    far = insert(catalogTable=table("t", "mart", location="s3a://far/t"))
    assert facet(ended(execution_end(far))["outputs"][0], "symlinks") == {}
    hive = {
        "spark.sql.catalogImplementation": "hive",
        "hive.metastore.uris": "thrift://meta:9083",
    }
    (output,) = ended(execution_end(far, conf=hive))["outputs"]
    assert (output["namespace"], output["name"]) == ("s3://far", "t")
    (symlink,) = facet(output, "symlinks")["identifiers"]
    assert (symlink["namespace"], symlink["name"]) == ("hive://meta:9083", "mart.t")


def test_one_dataset_read_twice_is_one_input_with_all_its_parts() -> None:
    plans = Plans()
    left, right = plans.files("file:/d/day=1", "file:/d/day=2"), plans.files("file:/d/day=3")
    plans.node("Join", left, right)
    (read,) = ended(execution_end(plans.build()))["inputs"]
    assert read["name"] == "/d"
    locations = facet(read, "subset")["inputCondition"]["locations"]
    assert locations == ["file:/d/day=1", "file:/d/day=2", "file:/d/day=3"]


def test_a_view_is_read_and_so_are_its_tables_but_no_temporary_one() -> None:
    plans = Plans()
    view = plans.node(
        "View", plans.table("sales"), desc=table("v", location=None, type="VIEW"), isTempView=False
    )
    temporary = {"table": {"name": "tmp", "type": "VIEW"}}
    plans.node("View", view, desc=temporary, isTempView=True)
    event = ended(execution_end(plans.build()))
    assert sorted(read_by(event)) == ["file /wh/sales", "file:/wh default.v"]
    assert event["job"]["name"] == "nightly_load.count"


def test_rows_of_an_rdd_and_unknown_leaves_are_unresolved() -> None:
    plans = Plans()
    rdd, odd = plans.node("LogicalRDD", out=[]), plans.node("OddRelation", out=[])
    plans.node("Union", rdd, odd, plans.node("LocalRelation", out=[]), plans.node("Range", out=[]))
    event = ended(execution_end(plans.build()))
    assert unresolved(event) == ["LogicalRDD", "OddRelation"]
    assert read_by(event) == []


@pytest.mark.parametrize("relation", [{"relation": {"class": "org.x.R"}}, {"class": "org.x.R"}])
def test_an_unknown_relation_is_unresolved(relation: Json) -> None:
    plans = Plans()
    plans.node("LogicalRelation", out=[], relation=relation)
    event = ended(execution_end(plans.build()))
    items = facet(event["run"], "lineage_unresolved")["items"]
    assert [(item["operator"], item["detail"]) for item in items] == [
        ("LogicalRelation", "org.x.R")
    ]


def jdbc_query(text: str) -> Json:
    """Return the end of a write of the result of a database query."""
    plans = Plans()
    jdbc = {"url": "jdbc:postgresql://me:hunter2@h/db", "query": text}
    out = [plans.attribute("id"), plans.attribute("total")]
    query = plans.node("LogicalRelation", out=out, relation={"jdbc": jdbc})
    plans.node("InsertIntoHadoopFsRelationCommand", query, out=[], outputPath="file:/out")
    return ended(execution_end(plans.build()))


def test_a_query_that_the_database_runs_reads_its_tables() -> None:
    event = jdbc_query("SELECT o.id, sum(o.amount) FROM s.orders o JOIN t ON o.t = t.id GROUP BY 1")
    assert read_by(event) == ["postgres://h:5432 db.s.orders", "postgres://h:5432 db.t"]
    columns = facet(event["outputs"][0], "columnLineage")
    assert {name: of["inputFields"][0]["field"] for name, of in columns["fields"].items()} == {
        "id": "id", "total": "amount"
    }  # fmt: skip
    assert unresolved(event) == []


def test_columns_that_only_the_database_knows_are_unresolved() -> None:
    event = jdbc_query("SELECT id, total FROM orders, totals")
    assert read_by(event) == ["postgres://h:5432 db.orders", "postgres://h:5432 db.totals"]
    assert facet(event["outputs"][0], "columnLineage")["fields"] == {}
    assert unresolved(event) == ["LogicalRelation"]


@pytest.mark.parametrize("held", ["(SELECT 1 FROM t) q", "t WHERE x = 1", "t JOIN t t2 ON true"])
def test_more_than_a_name_may_stand_for_a_table(held: str) -> None:
    plans = Plans()
    jdbc = {"url": "jdbc:postgresql://h/db", "dbtable": held}
    plans.node("LogicalRelation", out=[], relation={"jdbc": jdbc})
    assert read_by(ended(execution_end(plans.build()))) == ["postgres://h:5432 db.t"]


def test_what_stands_before_a_query_is_part_of_it() -> None:
    plans = Plans()
    jdbc = {"url": "jdbc:sqlserver://h;databaseName=db", "query": "SELECT x FROM c"}
    jdbc["prepareQuery"] = "WITH c AS (SELECT x FROM dbo.t)"
    plans.node("LogicalRelation", out=[], relation={"jdbc": jdbc})
    assert read_by(ended(execution_end(plans.build()))) == ["sqlserver://h db.dbo.t"]


def test_an_unreadable_query_is_unresolved_without_its_secrets() -> None:
    plans = Plans()
    jdbc = {"url": "jdbc:postgresql://me:hunter2@h/db", "query": "CALL hunter2()"}
    plans.node("LogicalRelation", out=[], relation={"jdbc": jdbc})
    event = ended(execution_end(plans.build()))
    (item,) = facet(event["run"], "lineage_unresolved")["items"]
    assert item["detail"] == "postgres://h:5432"
    assert "hunter2" not in json.dumps(event)


def test_a_truncated_plan_is_unresolved_and_has_all_its_relations() -> None:
    plans = Plans()
    plans.table("sales")
    plans.files("file:/d")
    plan = plans.build() | {"truncated": {"bytes": 100, "lost": ["exprs", "out", "nodes"]}}
    del plan["root"]
    event = ended(execution_end(plan))
    assert sorted(read_by(event)) == ["file /d", "file /wh/sales"]
    assert facet(event["run"], "lineage_truncated")["lost"] == ["exprs", "out", "nodes"]


def test_truncated_parts_of_a_document_are_unresolved() -> None:
    assert unresolved(ended(execution_end(None))) == ["QueryExecution"]
    event = ended(execution_end(insert(), nestedLost=3))
    (item,) = facet(event["run"], "lineage_unresolved")["items"]
    assert item["detail"] == "3 more than are listed"


def test_more_paths_than_a_document_lists_are_unresolved() -> None:
    plans = Plans()
    relation = {"files": {"format": "csv", "paths": ["file:/a"], "pathCount": 1500}}
    plans.node("LogicalRelation", out=[], relation=relation)
    event = ended(execution_end(plans.build()))
    assert read_by(event) == ["file /a"]
    assert unresolved(event) == ["LogicalRelation"]


def test_the_result_of_a_command_is_not_the_command_again() -> None:
    plans = Plans()
    plans.node("CommandResult", out=[], command={"class": "InsertIntoHadoopFsRelationCommand"})
    event = ended(execution_end(plans.build()))
    assert (read_by(event), written_by(event), unresolved(event)) == ([], [], [])


def test_the_text_of_a_view_is_not_that_of_a_query_on_it() -> None:
    plans = Plans()
    plans.node("SubqueryAlias", plans.table("sales"))
    event = ended(execution_end(plans.build(), sql="CREATE VIEW v AS SELECT 1"))
    assert facet(event["job"], "sql") == {}
    assert facet(ended(EXAMPLES["complete"])["job"], "sql")["dialect"] == "spark"


@pytest.mark.parametrize(
    ("callsite", "action"),
    [
        ("org.apache.spark.sql.classic.Dataset.showString(Dataset.scala:373)", "show"),
        ("org.apache.spark.sql.classic.Dataset.collectToPython(Dataset.scala:2139)", "collect"),
        ("count at job.py:12", "count"),
        ("org.apache.spark.sql.classic.SparkSession.sql(SparkSession.scala:567)", "query"),
        (None, "query"),
    ],
)
def test_what_only_reads_is_named_by_its_action(callsite: str | None, action: str) -> None:
    plans = Plans()
    plans.table("sales")
    event = ended(execution_end(plans.build(), execution={"callsite": callsite}))
    assert event["job"]["name"] == f"nightly_load.{action}"


def test_columns_nest() -> None:
    plans = Plans()
    nested = (
        "struct<who:struct<name:string,`a,b`:decimal(10,2)>,tags:array<string>,m:map<int,date>>"
    )
    column = plans.attribute("r", nested)
    relation = {"files": {"format": "json", "paths": ["file:/d"]}}
    plans.node("LogicalRelation", out=[column], relation=relation)
    (read,) = ended(execution_end(plans.build()))["inputs"]

    def tree(field: Json) -> Any:
        below = [tree(item) for item in field["fields"]]
        return (field["name"], field["type"], below) if below else (field["name"], field["type"])

    assert [tree(field) for field in facet(read, "schema")["fields"]] == [
        (
            "r",
            "struct",
            [
                ("who", "struct", [("name", "string"), ("a,b", "decimal(10,2)")]),
                ("tags", "array", [("_element", "string")]),
                ("m", "map", [("key", "int"), ("value", "date")]),
            ],
        )
    ]


@given(st.text(max_size=40))
def test_a_type_nobody_foresaw_breaks_nothing(data_type: str) -> None:
    plans = Plans()
    relation = {"files": {"format": "json", "paths": ["file:/d"]}}
    plans.node("LogicalRelation", out=[plans.attribute("x", data_type)], relation=relation)
    (read,) = ended(execution_end(plans.build()))["inputs"]
    assert facet(read, "schema")["fields"][0]["name"] == "x"


def rows_of_rdd(*starts: Json) -> Json:
    """Return the end of a write of the rows of an RDD."""
    plans = Plans()
    rdd = {"rdd": {"id": 1, "class": "org.apache.spark.rdd.MapPartitionsRDD", "roots": [*starts]}}
    rows = plans.node("LogicalRDD", out=[plans.attribute("id")], rdd=rdd)
    plans.node("InsertIntoHadoopFsRelationCommand", rows, out=[], outputPath="file:/out")
    return ended(execution_end(plans.build()))


COLLECTION = {"class": "org.apache.spark.rdd.ParallelCollectionRDD"}
ODD = {"class": "org.x.OddRDD"}
LINES = {"class": "org.apache.spark.rdd.HadoopRDD", "paths": ["hdfs://nn:8020/a", "/b/day=1"]}


def in_memory(event: Json) -> list[str]:
    return list(facet(event["run"], "lineage_in_memory").get("operators", []))


def test_rows_created_by_the_driver_are_marked() -> None:
    event = rows_of_rdd(COLLECTION)
    assert (read_by(event), unresolved(event), in_memory(event)) == ([], [], ["LogicalRDD"])


def test_an_rdd_over_files_reads_them_and_its_columns_are_not_known() -> None:
    event = rows_of_rdd(COLLECTION, LINES)
    assert read_by(event) == ["hdfs://nn:8020 /a", "file /b"]
    assert (unresolved(event), in_memory(event)) == (["LogicalRDD"], [])


@pytest.mark.parametrize(
    "starts",
    [
        [],
        [{"class": "org.x.OddRDD"}],
        [COLLECTION, {"class": "org.x.OddRDD"}],
        [LINES | {"more": True}],
    ],
)
def test_an_rdd_without_the_source_of_its_rows_is_unresolved(starts: list[Json]) -> None:
    event = rows_of_rdd(*starts)
    assert set(unresolved(event)) == {"LogicalRDD"}
    assert in_memory(event) == []


@pytest.mark.parametrize(
    ("table", "options", "name"),
    [
        ({"class": "org.x.Table", "name": "orders"}, {}, "org.x.Table orders"),
        ({"class": "org.apache.spark.sql.execution.datasources.v2.python.PythonTable",
          "name": "crm"}, {"path": "people", "region": "eu", "user": "me", "apiKey": "k1"},
         "crm people?region=eu"),
        ({"class": "org.x.Table", "name": "t"},
         {"url": "odd://me:pw@h/x", "pwd": "*********(redacted)"}, "org.x.Table t?url=odd://h/x"),
    ],
)  # fmt: skip
def test_a_source_outside_the_naming_spec_is_named_by_table_and_options(
    table: Json, options: Json, name: str
) -> None:
    plans = Plans()
    plans.node("DataSourceV2Relation", out=[], table={"v2": table}, options={"map": options})
    assert read_by(ended(execution_end(plans.build()))) == [name]
