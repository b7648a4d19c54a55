"""One name for one thing: the file of names in the log, and likely twins."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import yaml
from click.testing import CliRunner, Result
from lineage_cli import main
from support.services.dbt_project import DATA, RECORDED

import lineage
from lineage.ingest.writer import write_events
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.query.twins import similarity_key

if TYPE_CHECKING:
    from pathlib import Path

TASK_NAME = ("sqlserver://etl-db.corp:1433", "sales.dbo.orders")
DBT_NAME = ("mssql://etl-db:1433", "sales.dbo.orders")


@pytest.fixture(autouse=True)
def _database(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)


def run_event(
    job: str, time: str, reads: list[tuple[str, str]], writes: list[tuple[str, str]]
) -> str:
    def listed(names: list[tuple[str, str]]) -> list[dict[str, Any]]:
        return [{"namespace": namespace, "name": name} for namespace, name in names]

    return json.dumps(
        {
            "eventType": "COMPLETE",
            "eventTime": time,
            "producer": "urn:test",
            "run": {"runId": f"{job}-{time}"},
            "job": {"namespace": "n", "name": job},
            "inputs": listed(reads),
            "outputs": listed(writes),
        }
    )


TASK = run_event("load", "2026-01-01T00:00:00Z", [("file", "/in.csv")], [TASK_NAME])
MODEL = run_event("model", "2026-01-01T01:00:00Z", [DBT_NAME], [("db", "report")])
MAP = "namespaces: {'mssql://etl-db:1433': 'sqlserver://etl-db.corp:1433'}\n"


def call(*words: object) -> Result:
    result = CliRunner().invoke(main, [*map(str, words)])
    assert result.exit_code == 0, result.stderr
    return result


def write_map(tmp_path: Path, text: str = MAP) -> Path:
    file = tmp_path / "names.yml"
    file.write_text(text)
    return file


def sources_of_report() -> set[str]:
    with lineage.connect() as graph:
        return {each.full_name for each in graph.upstream("db/report").datasets}


@pytest.mark.parametrize("order", [[TASK, MODEL], [MODEL, TASK]])
def test_a_map_makes_two_names_one_dataset(tmp_path: Path, dsn: str, order: list[str]):
    events = tmp_path / "events.jsonl"
    events.write_text("\n".join(order))
    call("ingest", events)
    assert sources_of_report() == {"mssql://etl-db:1433/sales.dbo.orders"}

    file = write_map(tmp_path)
    assert "1 dataset renamed by the map." in call("ingest", "--map", file, events).stderr
    expected = {"sqlserver://etl-db.corp:1433/sales.dbo.orders", "file:/in.csv"}
    assert sources_of_report() == expected
    with psycopg.connect(dsn, autocommit=True) as conn:
        before = graph_fingerprint(conn)
        rebuild_graph(conn)
        assert graph_fingerprint(conn) == before
    assert sources_of_report() == expected
    assert "renamed" not in call("ingest", "--map", file, events).stderr


def test_a_later_event_of_the_old_name_is_of_the_one_dataset(tmp_path: Path, dsn: str):
    events = tmp_path / "events.jsonl"
    events.write_text(f"{TASK}\n{MODEL}\n")
    call("ingest", "--map", write_map(tmp_path), events)
    later = run_event("model2", "2031-01-01T00:00:00Z", [DBT_NAME], [("db", "other")])
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, [later])
    with lineage.connect() as graph:
        names = {each.full_name for each in graph.upstream("db/other").datasets}
    assert names == {"sqlserver://etl-db.corp:1433/sales.dbo.orders", "file:/in.csv"}


def test_a_map_of_an_alias_is_one_of_its_owner(tmp_path: Path, dsn: str):
    """A producer that claims an alias with each run does not undo the map."""
    owner = json.loads(run_event("spark", "2026-01-01T00:00:00Z", [], [("file", "/w/t")]))
    alias = {"namespace": "hive://h", "name": "db.t", "type": "TABLE"}
    owner["outputs"][0]["facets"] = {"symlinks": {"identifiers": [alias]}}
    again = {**owner, "eventTime": "2031-01-01T00:00:00Z", "run": {"runId": "again"}}
    text = "datasets: [{from: hive://h/db.t, to: {namespace: w, name: db.t}}]"
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, [json.dumps(owner)])
        events = tmp_path / "none.jsonl"
        events.write_text("")
        call("ingest", "--map", write_map(tmp_path, text), events)
        write_events(conn, [json.dumps(again)])
    with lineage.connect() as graph:
        for name in ("hive://h/db.t", "file:/w/t", "w/db.t"):
            assert graph.dataset(name).dataset.full_name == "w/db.t"


def test_an_import_reads_the_file_of_names(tmp_path: Path):
    text = f"namespaces: {{'{RECORDED['postgres']}': 'postgres://db.corp:5432'}}"
    file = write_map(tmp_path, text)
    words = ("import", "dbt", DATA / "postgres", "--namespace", RECORDED["postgres"], "--map", file)
    printed = [json.loads(line) for line in call(*words, "--events").stdout.splitlines()]
    renamed = {
        event["dataset"]["name"]
        for event in printed
        if event.get("dataset", {}).get("namespace") == "postgres://db.corp:5432"
    }
    assert "warehouse.main.revenue" in renamed
    assert f"{len(renamed)} datasets renamed by the map" in call(*words).stderr
    with lineage.connect() as graph:
        trace = graph.upstream("postgres://db.corp:5432/warehouse.main.revenue")
    assert {each.namespace for each in trace.datasets} == {"postgres://db.corp:5432"}


def test_twins_are_listed_until_a_map_makes_them_one(tmp_path: Path, dsn: str):
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, [TASK, MODEL])
    listed = call("doctor", "--names")
    assert listed.stdout.split("\n")[:2] == [
        "sqlserver://etl-db.corp:1433/sales.dbo.orders  (only written)",
        "mssql://etl-db:1433/sales.dbo.orders  (only read)",
    ]
    entry = yaml.safe_load(listed.stdout.split("\n")[2])
    names = [{"namespace": namespace, "name": name} for namespace, name in (DBT_NAME, TASK_NAME)]
    assert entry == [{"from": names[0], "to": names[1]}]
    assert listed.stderr == "1 pair of similar names.\n"
    events = tmp_path / "none.jsonl"
    events.write_text("")
    call("ingest", "--map", write_map(tmp_path), events)
    assert call("doctor", "--names").stdout == ""


def test_names_that_are_both_written_are_no_twins(dsn: str):
    both = run_event("copy", "2026-01-01T02:00:00Z", [TASK_NAME], [DBT_NAME])
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, [TASK, MODEL, both])
    assert call("doctor", "--names").stdout == ""


def test_a_written_name_that_its_own_jobs_read_is_a_twin_of_one_that_nothing_writes(dsn: str):
    """A project of dbt reads its own tables; a report reads them in another case."""
    table, report = ("snowflake://a-b", "DB.S.stg"), ("snowflake://a-b", "DB.S.STG")
    events = [
        run_event("stage", "2026-01-01T00:00:00Z", [("file", "/in.csv")], [table]),
        run_event("mart", "2026-01-01T01:00:00Z", [table], [("snowflake://a-b", "DB.S.mart")]),
        run_event("report", "2026-01-01T02:00:00Z", [report], [("db", "report")]),
    ]
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, events)
    assert call("doctor", "--names").stdout.split("\n")[:2] == [
        "snowflake://a-b/DB.S.stg  (written and read)",
        "snowflake://a-b/DB.S.STG  (only read)",
    ]


ATHENA = ("awsathena://athena.eu-west-1.amazonaws.com", "AwsDataCatalog.test.discounts")


def athena_reads(location: tuple[str, str]) -> str:
    """Return the event of a query by Airflow, which reports the location as an alias."""
    event = json.loads(run_event("query", "2026-01-01T01:00:00Z", [ATHENA], [("db", "report")]))
    identifier = {"namespace": location[0], "name": location[1], "type": "TABLE"}
    event["inputs"][0]["facets"] = {"symlinks": {"identifiers": [identifier]}}
    return json.dumps(event)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (("s3://exp", "orders"), ("s3://exp", "orders/")),
        (("s3://exp", "orders"), ("s3://exp", "/orders")),
        (("s3://exp", "orders"), ("s3a://exp", "orders")),
        (("gs://exp", "a/orders"), ("gcs://exp", "a/orders/")),
        (("s3://exp", "discount/path"), ("s3://exp", "/discount/path/")),
    ],
)
@pytest.mark.parametrize("alias", [False, True])
def test_the_listed_entry_joins_names_of_a_store(
    tmp_path: Path, dsn: str, written: tuple[str, str], read: tuple[str, str], alias: bool
):
    """S3 may have objects under both names: only a user can decide that they are one."""
    reads = run_event("query", "2026-01-01T01:00:00Z", [read], [("db", "report")])
    events = tmp_path / "events.jsonl"
    load = run_event("load", "2026-01-01T00:00:00Z", [("file", "/in.csv")], [written])
    events.write_text(f"{load}\n{athena_reads(read) if alias else reads}\n")
    call("ingest", events)
    assert "file:/in.csv" not in sources_of_report()
    listed = call("doctor", "--names").stdout.split("\n")
    file = write_map(tmp_path, f"datasets:\n{listed[2]}")
    call("ingest", "--map", file, events)
    assert sources_of_report() == {"/".join(written), "file:/in.csv"}
    assert call("doctor", "--names").stdout == ""


def test_a_map_removes_first_and_last_slashes(tmp_path: Path):
    events = tmp_path / "events.jsonl"
    load = run_event("load", "2026-01-01T00:00:00Z", [("file", "/in.csv")], [("s3://exp", "a/b")])
    reads = run_event("r", "2026-01-01T01:00:00Z", [("s3://exp", "/a/b/")], [("db", "report")])
    events.write_text(f"{load}\n{reads}\n")
    call("ingest", "--map", write_map(tmp_path, "without_slashes: ['s3://*']"), events)
    assert sources_of_report() == {"s3://exp/a/b", "file:/in.csv"}


def test_a_design_that_reads_counts(dsn: str):
    design = {
        "eventTime": "2026-01-01T00:00:00Z",
        "producer": "urn:test",
        "job": {"namespace": "n", "name": "declared"},
        "inputs": [{"namespace": DBT_NAME[0], "name": DBT_NAME[1]}],
        "outputs": [{"namespace": "db", "name": "x"}],
    }
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, [TASK, json.dumps(design)])
    assert "(only read)" in call("doctor", "--names").stdout


@pytest.mark.parametrize(
    ("one", "two", "similar"),
    [
        (("postgres://db", "a.b"), ("postgresql://db.corp:5432", "A.B"), True),
        (("snowflake://org-acct", "DB.S.T"), ("snowflake://org-acct", 'db.s."t"'), True),
        (("sqlserver://h", "[a].[dbo].[t]"), ("mssql://h:1433", "a.dbo.t"), True),
        (("postgres://10.0.0.1", "t"), ("postgres://10.0.0.2", "t"), False),
        (("s3://my.bucket", "t"), ("s3://my", "t"), False),
        (("s3://my", "a/t"), ("s3://my", "a//t"), False),
        (("s3://my", "t"), ("gs://my", "t"), False),
        (("abfs://c@a.dfs", "t"), ("abfss://c@a.dfs/", "t/"), True),
        (("hdfs://nn:8020", "/w/t"), ("hdfs://nn", "/w/t/"), True),
        (("postgres://db", "a.b"), ("mysql://db", "a.b"), False),
        (("duckdb:///w/a.duckdb", "t"), ("duckdb:///w/b.duckdb", "t"), False),
    ],
)
def test_similar_names(one: tuple[str, str], two: tuple[str, str], similar: bool):
    assert (similarity_key(*one) == similarity_key(*two)) == similar
