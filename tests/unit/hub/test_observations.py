"""The event of OpenLineage that each observation becomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.events.openlineage_schema import assert_valid_with_other_facets

from lineage.hub import (
    Column,
    ContentSchema,
    Context,
    Dataset,
    Direction,
    FileIo,
    FileOperation,
    HttpIo,
    Job,
    Kind,
    LineageEvent,
    Phase,
    Rejected,
    RelationalIo,
    RelationalOperation,
    Run,
    RunEvent,
    RunLifecycle,
    Side,
    StructureNode,
    TransformSchema,
    encode_document,
    portable_key,
    to_openlineage,
)
from lineage.openlineage import parse_event

if TYPE_CHECKING:
    from pathlib import Path

RUN = "01938a8e-7b1c-7d1f-8a55-3d7f5b0a8c11"
CHANGE = "lifecycleStateChange"
READ, WRITE, DELETE = FileOperation.READ, FileOperation.WRITE, FileOperation.DELETE
GET = HttpIo(Direction.CLIENT, "GET", "https://me:secret@api.example.org/v1/x?token=t#f", 200)


def convert(kind: Kind, payload: Any, **context: Any) -> dict[str, Any]:
    document = convert_extended(kind, payload, **context)
    assert_valid_with_other_facets(document)
    return document


def convert_extended(kind: Kind, payload: Any, **context: Any) -> dict[str, Any]:
    """Convert an event whose facets have more fields than the classes of the client."""
    event = LineageEvent.create_now(kind, Context(**{"run_id": RUN, **context}), payload)
    assert parse_event(encode_document(event)).all_omitted() == []
    [document] = to_openlineage([event])
    return document


def names(datasets: list[dict[str, Any]]) -> list[str]:
    return [f"{each['namespace']}|{each['name']}" for each in datasets]


@pytest.mark.parametrize(
    ("payload", "inputs", "outputs"),
    [
        (FileIo(READ, source="/a"), ["file|/a"], []),
        (FileIo(WRITE, target="s3a://lake/a"), [], ["s3://lake|a"]),
        (FileIo(FileOperation.COPY, "/a", "/b"), ["file|/a"], ["file|/b"]),
        (FileIo(FileOperation.MOVE, "/a", "/b"), ["file|/a"], ["file|/b"]),
        (FileIo(DELETE, source="/a"), [], ["file|/a"]),
        (FileIo(READ, source="/a", success=False), [], []),
        (GET, ["https://api.example.org|/v1/x"], []),
        (HttpIo(Direction.CLIENT, "GET", "http://h/x", 404), [], []),
        (HttpIo(Direction.CLIENT, "GET", "http://h/x"), [], []),
        (HttpIo(Direction.CLIENT, "POST", "http://h/x", 200), [], []),
        (HttpIo(Direction.SERVER, "GET", "http://h/x", 200), [], []),
        (
            RelationalIo(
                RelationalOperation.READ, "postgres://h:5432", ("t", "s.t", "d.s.t"), catalog="d",
                schema="s",
            ),
            ["postgres://h:5432|d.s.t"] * 3,
            [],
        ),
        (RelationalIo(RelationalOperation.WRITE, "sqlite", outputs=("t",)), [], ["sqlite|t"]),
        (TransformSchema(Side.INPUT, (Column("a"),)), [], []),
        (TransformSchema(Side.OUTPUT, (Column("a"),), dataset=Dataset("n", "d")), [], ["n|d"]),
    ],
)  # fmt: skip
def test_datasets(payload: Any, inputs: list[str], outputs: list[str]):
    document = convert(Kind.FILE_IO, payload)
    assert document["eventType"] == "OTHER"
    assert names(document["inputs"]) == inputs
    assert names(document["outputs"]) == outputs
    assert "secret" not in str(document)
    assert "token" not in str(document)


@pytest.mark.parametrize(
    ("phase", "state"),
    [
        (Phase.STARTED, "START"),
        (Phase.FINISHING, "RUNNING"),
        (Phase.FINISHED, "COMPLETE"),
        (Phase.FAILED, "FAIL"),
    ],
)
def test_phases(phase: Phase, state: str):
    document = convert(Kind.RUN_LIFECYCLE, RunLifecycle(phase, "no password=x"))
    assert document["eventType"] == state
    assert ("errorMessage" in document["run"]["facets"]) == (state == "FAIL")
    assert "password=x" not in str(document)


def test_changes_of_files():
    [written] = convert(Kind.FILE_IO, FileIo(WRITE, target="/a", bytes=3))["outputs"]
    assert written["facets"][CHANGE][CHANGE] == "OVERWRITE"
    assert written["outputFacets"]["outputStatistics"]["size"] == 3
    [appended] = convert(Kind.FILE_IO, FileIo(WRITE, target="/a", append=True))["outputs"]
    assert CHANGE not in appended["facets"]
    [moved] = convert(Kind.FILE_IO, FileIo(FileOperation.MOVE, "/a", "/b"))["outputs"]
    assert moved["facets"][CHANGE][CHANGE] == "RENAME"
    assert moved["facets"][CHANGE]["previousIdentifier"] == {"namespace": "file", "name": "/a"}
    [copied] = convert(Kind.FILE_IO, FileIo(FileOperation.COPY, "/a", "/b"))["outputs"]
    for each in (moved, copied):
        assert names(each["facets"]["lineage"]["inputs"]) == ["file|/a"]
    [deleted] = convert(Kind.FILE_IO, FileIo(DELETE, source="/a"))["outputs"]
    assert deleted["facets"][CHANGE][CHANGE] == "DROP"
    assert deleted["facets"]["lineage"]["inputs"] == []


def test_nested_content():
    roots = (StructureNode("order", "object", (StructureNode("id", "int"),)),)
    columns = (Column("id", "int", path="$.order.id", syntax="JSONPath"),)
    payload = FileIo(READ, source="/a.json", schema=ContentSchema(columns, roots))
    schema = convert_extended(Kind.FILE_IO, payload)["inputs"][0]["facets"]["schema"]
    field = {"name": "id", "type": "int", "path": "$.order.id", "syntax": "JSONPath"}
    assert schema["fields"] == [field]
    [root] = schema["roots"]
    assert (root["name"], root["children"][0]["name"]) == ("order", "id")


def test_what_is_no_dataset_is_recorded_in_a_run_facet():
    post = HttpIo(Direction.CLIENT, "post", "https://h/x?key=1", 200, duration_ms=3.5)
    [item] = convert(Kind.HTTP_IO, post)["run"]["facets"]["lineage_observed"]["items"]
    assert item == {
        "kind": "HTTP_IO", "success": True, "direction": "CLIENT", "method": "POST",
        "url": "https://h/x", "status": 200, "duration_ms": 3.5,
    }  # fmt: skip
    failed = FileIo(READ, source="/a", success=False, message="token=x: not found")
    [item] = convert(Kind.FILE_IO, failed)["run"]["facets"]["lineage_observed"]["items"]
    assert (item["source"], item["success"]) == ("/a", False)
    assert "token=x" not in item["message"]


def relational(namespace: str, sql: str, **options: Any) -> dict[str, Any]:
    payload = RelationalIo(RelationalOperation.EXEC, namespace, sql=sql, **options)
    return convert(Kind.RELATIONAL_IO, payload)


@pytest.mark.parametrize(
    ("namespace", "sql", "inputs", "outputs"),
    [
        ("sqlite", "SELECT * FROM a JOIN b USING (x)", ["a", "b"], []),
        ("sqlite", "CREATE TABLE c AS SELECT * FROM a; DROP TABLE a", ["a"], ["c", "a"]),
        ("sqlite", "CREATE TEMP TABLE t AS SELECT * FROM a; INSERT INTO b SELECT * FROM t",
         ["a"], ["b"]),
        ("sqlite", "ALTER TABLE a RENAME TO b", ["a"], ["b"]),
        ("mysql://h:3306", "UPDATE a JOIN b USING (x) SET a.y = b.y", ["b"], ["a"]),
        ("sqlserver://h:1433", "SELECT * INTO dbo.c FROM dbo.A", ["dbo.a"], ["dbo.c"]),
        ("postgres://h:5432", "BEGIN; INSERT INTO a SELECT * FROM b; ROLLBACK", ["b"], []),
        ("snowflake://account", "INSERT INTO a SELECT * FROM b", ["B"], ["A"]),
        ("mysql://h:3306", "INSERT INTO a SELECT * FROM b WHERE c = %s", ["b"], ["a"]),
        ("oracle://h:1521", "INSERT INTO a VALUES (:1, :2)", [], ["A"]),
        ("mssql://h:1433", "UPDATE dbo.a SET b = %s WHERE c = %s", [], ["dbo.a"]),
        ("duckdb", "SELECT 1", [], []),
    ],
)  # fmt: skip
def test_tables_are_read_from_the_text_of_sql(
    namespace: str, sql: str, inputs: list[str], outputs: list[str]
):
    document = relational(namespace, sql)
    assert names(document["inputs"]) == [f"{namespace}|{name}" for name in inputs]
    assert names(document["outputs"]) == [f"{namespace}|{name}" for name in outputs]


def test_each_output_of_a_text_has_its_own_sources():
    sql = (
        "INSERT INTO a SELECT * FROM b; INSERT INTO x.c SELECT * FROM d; INSERT INTO e VALUES (1);"
        " DROP TABLE old; ALTER TABLE f RENAME TO g"
    )
    document = relational("postgres://h:5432", sql, catalog="shop", schema="public")
    sources = {each["name"]: [source["name"] for source in each["facets"]["lineage"]["inputs"]]
               for each in document["outputs"]}  # fmt: skip
    assert sources == {
        "shop.public.a": ["shop.public.b"],
        "shop.x.c": ["shop.public.d"],
        "shop.public.e": [],
        "shop.public.old": [],
        "shop.public.g": ["shop.public.f"],
    }


@pytest.mark.parametrize(
    ("namespace", "sql", "reason"),
    [
        ("unknown://h", "SELECT 1 FROM a", 'The dialect of "unknown" is not known.'),
        ("sqlite", "SELEC x FROM (", "the statement cannot be parsed"),
        ("sqlserver://h", "EXEC dbo.p", "the body of the procedure dbo.p is not known"),
    ],
)
def test_what_the_text_does_not_determine_is_unresolved(namespace: str, sql: str, reason: str):
    document = relational(namespace, sql)
    assert document["inputs"] == document["outputs"] == []
    [item] = document["run"]["facets"]["lineage_observed"]["items"]
    assert item["unresolved"] == [reason]


@pytest.mark.parametrize(
    ("namespace", "sql"),
    [
        ("postgres://h:5432", "COPY t FROM '/srv/secret.csv' CSV"),
        ("mysql://h:3306", "LOAD DATA INFILE '/srv/secret.csv' INTO TABLE t"),
        ("sqlserver://h:1433", "BULK INSERT t FROM 'C:\\secret.csv'"),
        (
            "sqlserver://h:1433",
            "INSERT INTO t SELECT * FROM OPENROWSET(BULK 'C:\\secret.csv', SINGLE_CLOB) AS x",
        ),
        ("duckdb", "CREATE TABLE t AS SELECT * FROM read_csv('/srv/secret.csv')"),
        ("duckdb", "CREATE TABLE t AS FROM '/srv/secret.csv'"),
        ("duckdb", "INSERT INTO t SELECT a.x FROM a JOIN read_parquet('secret') b USING (x)"),
    ],
)
def test_files_that_the_database_loads_are_unresolved(namespace: str, sql: str):
    document = relational(namespace, sql)
    assert names(document["outputs"]) == [f"{namespace}|t"]
    [item] = document["run"]["facets"]["lineage_observed"]["items"]
    assert item["unresolved"] == ["the files from which t is loaded are not known"]


def test_a_stage_is_unresolved():
    document = relational("snowflake://account", "INSERT INTO t SELECT $1 FROM @landing/secret")
    [item] = document["run"]["facets"]["lineage_observed"]["items"]
    assert item["unresolved"] == ["the files from which T is loaded are not known"]


@pytest.mark.parametrize(
    ("namespace", "sql"),
    [
        ("duckdb", "INSERT INTO t SELECT 'FROM read_csv(' FROM a"),
        ("duckdb", "INSERT INTO t SELECT * FROM range(3)"),
        ("sqlite", "INSERT INTO t SELECT * FROM 'a'"),
        ("sqlserver://h:1433", "DECLARE @v TABLE (a int); INSERT INTO t SELECT * FROM @v"),
    ],
)
def test_other_items_of_from_are_no_files(namespace: str, sql: str):
    facets = relational(namespace, sql)["run"]["facets"]
    assert "lineage_observed" not in facets


@pytest.mark.parametrize(
    ("namespace", "sql"),
    [
        ("sqlite", "INSERT INTO loaded VALUES (?, :a, @b, $c)"),
        ("mysql://h:3306", "INSERT INTO t VALUES (%s) ON DUPLICATE KEY UPDATE a = VALUES(a)"),
        ("mysql://h:3306", "LOAD DATA LOCAL INFILE 'x.csv' INTO TABLE t"),
        ("snowflake://account", "INSERT INTO T SELECT parse_json(%(a)s)"),
        ("bigquery", "INSERT INTO t VALUES (@a)"),
        ("mssql://h", "MERGE t USING (VALUES (?)) s (a) ON t.a = s.a WHEN MATCHED THEN DELETE;"),
    ],
)  # fmt: skip
def test_rows_that_the_program_sends_are_of_the_inputs_of_the_run(namespace: str, sql: str):
    [output] = relational(namespace, sql)["outputs"]
    assert output["facets"]["lineage"]["inputs"] == [{"type": "JOB"}]


def test_named_tables_are_not_read_again_from_the_text():
    document = relational("sqlite", "SELECT * FROM a", inputs=("b",))
    assert names(document["inputs"]) == ["sqlite|b"]
    failed = relational("sqlite", "SELECT * FROM a", success=False)
    assert failed["inputs"] == []


def test_the_context_names_job_and_run():
    payload = RelationalIo(RelationalOperation.EXEC, "sqlite", sql="SELECT 'secret'")
    document = convert(
        Kind.RELATIONAL_IO, payload, run_id="hop-17", parent_run_id=RUN, pipeline="load",
        workflow="nightly", attributes={"host": "h", "password": "secret"},
    )  # fmt: skip
    assert document["job"]["name"] == "load"
    assert document["job"]["facets"]["sql"]["query"] == "SELECT ?"
    facets = document["run"]["facets"]
    assert facets["parent"]["run"]["runId"] == RUN
    assert facets["parent"]["job"]["name"] == "nightly"
    assert facets["lineage_context"]["attributes"] == {"host": "h"}
    assert "secret" not in str(document)
    again = convert(Kind.RUN_LIFECYCLE, RunLifecycle(Phase.FINISHED), run_id="hop-17")
    assert again["run"]["runId"] == document["run"]["runId"] != "hop-17"


@pytest.mark.parametrize(
    "event",
    [
        RunEvent.complete(Run(), Job("n", "")),
        RunEvent.complete(Run(), Job("n", "j"), inputs=[Dataset("", "x")]),
        LineageEvent.create_now(Kind.FILE_IO, Context(), FileIo(READ)),
        LineageEvent.create_now(Kind.FILE_IO, Context(), None),  # type: ignore[arg-type]
        {"eventType": "START", "x": object()},
        {"eventType": "START", "x": float("nan")},
    ],
)
def test_an_invalid_value_is_rejected_with_its_event(event: Any):
    with pytest.raises(Rejected) as caught:
        encode_document(event)
    assert caught.value.event is event


def test_a_portable_key_is_of_files_in_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LINEAGE_PROJECT_HOME", "/srv/app")
    assert portable_key("/srv/app/flows/a.hpl") == "${PROJECT_HOME}/flows/a.hpl"
    assert portable_key("/srv/app2/a.hpl") is None
    monkeypatch.delenv("LINEAGE_PROJECT_HOME")
    (tmp_path / ".git").mkdir()
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert portable_key("x.csv") == "${PROJECT_HOME}/below/x.csv"


def test_facets_have_the_schema_of_the_part_that_has_them() -> None:
    """A job and a dataset have different facets of one name."""
    owners = {"owners": [{"name": "shop"}]}
    location = {"type": "git", "url": "https://example.org/etl"}
    job = Job("etl", "load", {"ownership": owners, "sourceCodeLocation": location})
    run = Run(
        RUN, facets={"nominalTime": {"nominalStartTime": "2026-01-05T06:00:00Z"}, "acme_cost": {}}
    )
    source = {"name": "shop", "uri": "postgres://db:5432"}
    facets = {"ownership": owners, "dataSource": source, "columnLineage": {"fields": {}}}
    event = RunEvent("COMPLETE", run, job, outputs=[Dataset("postgres://db:5432", "t", facets)])
    [document] = to_openlineage([event])
    unknown = document["run"]["facets"].pop("acme_cost")
    assert unknown["_schemaURL"].endswith("/OpenLineage.json#/$defs/RunFacet")
    assert_valid_with_other_facets(document)
