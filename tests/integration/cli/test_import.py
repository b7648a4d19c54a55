"""``lineage import``: the file of names, and what cannot be read, in all imports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from lineage_cli import main

import lineage
from lineage.naming import DatasetName

if TYPE_CHECKING:
    from pathlib import Path

ALIAS = "sqlserver://etl-db"  # the name of the server in the file; it is the server below
SERVER = "sqlserver://sql1.corp:1433"
NAMES = f"namespaces:\n  {ALIAS}: {SERVER}\n"

INSERT = "INSERT INTO dbo.clean SELECT * FROM dbo.raw"
QUERY = {"text": INSERT, "time": "2026-01-05T06:00:00Z", "job": "load", "database": "shop"}
EVENT = (
    '<event name="sql_batch_completed" timestamp="2026-01-05T06:00:00Z">'
    f'<data name="batch_text"><value>{INSERT}</value></data>'
    '<action name="client_app_name"><value>python_task::load</value></action>'
    '<action name="database_name"><value>shop</value></action></event>'
)
VIEW = {
    "table_catalog": "shop",
    "table_schema": "dbo",
    "table_name": "clean",
    "view_definition": "CREATE VIEW dbo.clean AS SELECT * FROM dbo.raw",
}
# Each import of the same flow, from dbo.raw to dbo.clean: its file, and its arguments.
IMPORTS = {
    "queries": ("log.jsonl", json.dumps(QUERY), ["--namespace", ALIAS]),
    "xevents": ("events.xml", EVENT, ["--server", "etl-db"]),
    "sql": ("load.sql", INSERT, ["--namespace", ALIAS, "--database", "shop"]),
    "catalog": ("views.json", json.dumps([VIEW]), ["--namespace", ALIAS]),
}


@pytest.fixture(autouse=True)
def _database(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)


@pytest.fixture
def names(tmp_path: Path) -> Path:
    path = tmp_path / "names.yml"
    path.write_text(NAMES)
    return path


def run_import(tmp_path: Path, kind: str, *words: str) -> Result:
    name, text, arguments = IMPORTS[kind]
    (tmp_path / name).write_text(text)
    command = ["import", kind, str(tmp_path / name), *arguments, *words]
    return CliRunner().invoke(main, command)


def upstream_of_clean() -> set[DatasetName]:
    """Return the names of the sources of the table, by the name of the server that it is."""
    with lineage.connect() as graph:
        trace = graph.upstream(f"{SERVER}/shop.dbo.clean")
    return {DatasetName(each.namespace, each.name) for each in trace.datasets}


@pytest.mark.parametrize("kind", IMPORTS)
def test_a_file_of_names_renames_the_datasets(tmp_path: Path, names: Path, kind: str):
    result = run_import(tmp_path, kind, "--map", str(names))
    assert result.exit_code == 0, result.stderr
    assert "2 datasets renamed by the map" in result.stderr
    assert upstream_of_clean() == {DatasetName(SERVER, "shop.dbo.raw")}


@pytest.mark.parametrize("kind", IMPORTS)
def test_printed_events_contain_the_decisions_of_the_file(tmp_path: Path, names: Path, kind: str):
    printed = run_import(tmp_path, kind, "--map", str(names), "--events")
    assert printed.exit_code == 0, printed.stderr
    loaded = CliRunner().invoke(main, ["ingest", "-"], input=printed.stdout)
    assert loaded.exit_code == 0, loaded.stderr
    assert upstream_of_clean() == {DatasetName(SERVER, "shop.dbo.raw")}


def test_a_row_that_is_not_xml_is_reported_and_the_others_are_imported(tmp_path: Path):
    rows = tmp_path / "xe.json"
    broken = EVENT.replace("</event>", "</vent>")
    rows.write_text("\n".join(json.dumps({"event_data": each}) for each in (broken, EVENT)))
    words = ["import", "xevents", str(rows), "--server", "sql1.corp:1433"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1
    assert "xe.json:1: event_data is not XML: mismatched tag at 1:" in result.stderr
    assert upstream_of_clean() == {DatasetName(SERVER, "shop.dbo.raw")}


def test_events_of_other_applications_are_counted(tmp_path: Path):
    """Otherwise an unsuitable prefix would look like a log without statements."""
    events = tmp_path / "events.xml"
    others = [EVENT.replace("python_task::load", name) for name in ("SSMS", "SSMS", "")]
    events.write_text("".join(others))
    result = CliRunner().invoke(main, ["import", "xevents", str(events), "--server", "sql1"])
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == (
        "0 events; 0 statements, 0 shapes; 3 events of other applications, such as SSMS.\n"
    )


def test_rows_that_are_passed_over_are_counted_and_files_without_rows_are_named(tmp_path: Path):
    jobs, other = tmp_path / "jobs.csv", tmp_path / "other.csv"
    jobs.write_text("job_id,end_time,referenced_tables,destination_table\nj1,,,\n")
    other.write_text("job_id,end_time,referenced_tables,destination_table\n")
    command = ["import", "queries", str(jobs), str(other), "--namespace", "bigquery"]
    result = CliRunner().invoke(main, [*command, "--events"])
    assert result.exit_code == 0
    assert result.stderr == (
        f"{other} contains no row of the form bigquery.\n"
        "0 events; 0 statements, 0 shapes; 1 row of jobs that have not ended passed over.\n"
    )


def test_routines_that_no_script_calls_are_counted(tmp_path: Path):
    script = tmp_path / "load.sql"
    script.write_text("CREATE PROCEDURE dbo.load AS INSERT INTO t SELECT * FROM s")
    command = ["import", "sql", str(script), "--namespace", "sqlserver://sql1:1433", "--events"]
    result = CliRunner().invoke(main, command)
    counts = "0 events; 1 statement, 1 shape; 1 routine that no script calls"
    assert (result.exit_code, result.stderr) == (0, f"{counts} (--unread lists them).\n")
    result = CliRunner().invoke(main, [*command, "--unread"])
    reason = "no script calls it, so that its statements do not count"
    assert result.stderr == f"{script}: CREATE PROCEDURE dbo.load: {reason}\n{counts}.\n"


def test_a_script_of_another_encoding_is_reported_and_others_are_imported(tmp_path: Path):
    (tmp_path / "a.sql").write_text(INSERT, encoding="utf-16")
    latin = tmp_path / "b.sql"
    latin.write_text("INSERT INTO t SELECT * FROM s WHERE a = 'é'", encoding="latin-1")
    (tmp_path / "c.sql").write_text("DELETE FROM dbo.other")
    command = ["import", "sql", str(tmp_path), "--namespace", SERVER, "--database", "shop"]
    result = CliRunner().invoke(main, [*command, "--events"])
    assert result.exit_code == 1
    assert f"{latin}: The text is not UTF-8" in result.stderr
    jobs = [json.loads(line)["job"]["name"] for line in result.stdout.splitlines()]
    assert jobs == ["a", "c"]
    together = CliRunner().invoke(main, [*command, "--events", "--job", "nightly"])
    assert (together.exit_code, together.stdout) == (1, "")  # a part would replace the whole job


def test_a_document_with_a_dtd_is_rejected(tmp_path: Path):
    path = tmp_path / "ring.xml"
    path.write_text('<!DOCTYPE a [<!ENTITY b "c">]>' + EVENT)
    words = ["import", "xevents", str(path), "--server", "sql1.corp:1433"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1
    assert "The XML has a DTD" in result.stderr


def test_an_unknown_form_is_an_error_that_lists_the_columns(tmp_path: Path):
    path = tmp_path / "history.csv"
    path.write_text("a,b,c\n1,2,3\n")
    words = ["import", "queries", str(path), "--namespace", "postgres://db:5432"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert "history.csv has none of the known forms; its columns are a, b, c." in result.stderr
    assert "Name one with --form, or write JSON lines of the generic form." in result.stderr


def test_other_files_of_a_directory_are_reported_and_the_log_is_imported(tmp_path: Path):
    (tmp_path / "postgresql.json").write_text(json.dumps(QUERY))
    (tmp_path / "empty.csv").touch()
    text = tmp_path / "postgresql.log.1"
    text.write_text("cp: cannot stat '/archive': No such file or directory\n")
    command = ["import", "queries", str(tmp_path), "--namespace", SERVER]
    result = CliRunner().invoke(main, command)
    assert (result.exit_code, "of 1 run" in result.stderr) == (0, True), result.output
    assert f"{text}: left out because it is not a query log" in result.stderr
    other = tmp_path / "other.json"
    other.write_text('{"a": 1}')
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1
    assert f"{other} has none of the known forms" in result.stderr
    assert upstream_of_clean() == {DatasetName(SERVER, "shop.dbo.raw")}
    for named in (text, other):
        result = CliRunner().invoke(main, ["import", "queries", str(named), "--namespace", SERVER])
        assert result.exit_code == 2


def test_columns_of_scripts_are_those_of_the_stored_catalog(tmp_path: Path):
    columns = tmp_path / "columns.csv"
    header = "table_catalog,table_schema,table_name,column_name,ordinal_position\n"
    rows = [("raw", "id"), ("raw", "v"), ("clean", "k"), ("clean", "w")]
    lines = [f"shop,dbo,{table},{name},{n % 2 + 1}\n" for n, (table, name) in enumerate(rows)]
    columns.write_text(header + "".join(lines))
    result = CliRunner().invoke(main, ["import", "catalog", str(columns), "--namespace", SERVER])
    assert result.exit_code == 0, result.output
    script = tmp_path / "load.sql"
    script.write_text(INSERT)
    arguments = ["import", "sql", str(script), "--namespace", SERVER, "--database", "shop"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    with lineage.connect() as graph:
        found = graph.column_lineage("shop.dbo.clean", "w")
    assert {(edge.source.dataset.name, edge.source.name) for edge in found.edges} == {
        ("shop.dbo.raw", "v")
    }


def test_tables_of_rows_without_a_database_are_unresolved(tmp_path: Path):
    """mysql.general_log does not have the database of a session."""
    log = tmp_path / "general_log.csv"
    log.write_text(
        "event_time,user_host,thread_id,server_id,command_type,argument\n"
        "2026-01-05T06:00:00Z,etl[etl] @ localhost [],11,1,Query,INSERT INTO t SELECT a FROM b.s\n"
    )
    arguments = ["import", "queries", str(log), "--namespace", "mysql://db:3306"]
    result = CliRunner().invoke(main, [*arguments, "--events", "--unread"])
    assert result.exit_code == 1
    assert "INSERT INTO t SELECT a FROM b.s: the database of t is not known" in result.stderr
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert {each["name"] for event in events for each in event["inputs"]} == {"b.s"}
    assert [each for event in events for each in event["outputs"]] == []
    result = CliRunner().invoke(main, [*arguments, "--database", "shop"])
    assert result.exit_code == 0, result.output
    with lineage.connect() as graph:
        assert [each.name for each in graph.upstream("shop.t").datasets] == ["b.s"]
