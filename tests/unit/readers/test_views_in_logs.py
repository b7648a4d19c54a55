"""Views in logs: the last event of a run says whether its output is only defined."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.query_logs import SERVERS, later_row, make_row

from lineage.readers.log_source import LogSource
from lineage.readers.query_logs.importing import convert_rows
from lineage.readers.query_logs.rows import Kind
from lineage.readers.report import ImportReport


def outputs_of(statements: list[str], dialect: str) -> dict[str, Any]:
    """Return each output in the last event of a session that reports it."""
    rows = [
        make_row(number, text, kind=Kind.STATEMENT, position=number)
        for number, text in enumerate(statements)
    ]
    end = make_row(len(rows), kind=Kind.END, position=len(rows))
    placed = ((f"row {number}", row) for number, row in enumerate([*rows, end, later_row()]))
    source = LogSource(SERVERS[dialect], dialect)
    events = map(json.loads, convert_rows(source, placed, ImportReport()))
    return {
        output["name"].rpartition(".")[2].lower(): output
        for event in sorted(events, key=lambda event: str(event["eventTime"]))
        for output in event["outputs"]
    }


def types_of(statements: list[str], dialect: str) -> dict[str, str | None]:
    """Return the type of each output of a session."""
    return {
        name: output["facets"].get("datasetType", {}).get("datasetType")
        for name, output in outputs_of(statements, dialect).items()
    }


DEFINED = "CREATE VIEW d.v AS SELECT * FROM d.s"


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([DEFINED], "VIEW"),
        (["CREATE OR REPLACE VIEW d.v AS SELECT * FROM d.s"], "VIEW"),
        (["DROP VIEW IF EXISTS d.v", DEFINED], "VIEW"),
        ([DEFINED, DEFINED.replace("CREATE", "CREATE OR REPLACE")], "VIEW"),
        ([DEFINED, "INSERT INTO d.v SELECT * FROM d.s"], None),
        ([DEFINED, "INSERT INTO d.v VALUES (1)"], None),
        ([DEFINED, "DROP VIEW d.v"], None),
        ([DEFINED, "DROP VIEW d.v", "CREATE TABLE d.v AS SELECT * FROM d.s"], None),
        (["CREATE TABLE d.v AS SELECT * FROM d.s", "DROP TABLE d.v", DEFINED], "VIEW"),
        # The sources of a run are those of all its statements: here not those of the view.
        (["CREATE TABLE d.v AS SELECT * FROM d.t", "DROP TABLE d.v", DEFINED], None),
        (["CREATE TABLE d.v AS SELECT * FROM d.s"], None),
        (["CREATE MATERIALIZED VIEW d.v AS SELECT * FROM d.s"], None),
        (["CREATE MATERIALIZED VIEW d.v AS SELECT * FROM d.s WITH NO DATA"], None),
        (["REFRESH MATERIALIZED VIEW d.v"], None),
    ],
)
def test_the_last_statement_decides_whether_a_table_is_a_view(
    statements: list[str], expected: str | None
) -> None:
    statements = [each.replace("d.", "sales.d.") for each in statements]
    assert types_of(statements, "postgres")["v"] == expected


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (["CREATE TABLE IF NOT EXISTS d.t (a int)"], "alter"),
        (["CREATE TABLE IF NOT EXISTS d.t (a int)", "INSERT INTO d.t SELECT a FROM d.s"], "append"),
        (["CREATE TABLE IF NOT EXISTS d.t (a int)", "TRUNCATE d.t"], "truncate"),
        (["CREATE TABLE IF NOT EXISTS d.t AS SELECT a FROM d.s"], None),
        (["DROP TABLE d.t", "CREATE TABLE IF NOT EXISTS d.t AS SELECT a FROM d.s"], "overwrite"),
        (["CREATE TABLE d.t (a int)", "INSERT INTO d.t SELECT a FROM d.s"], "create"),
    ],
)
def test_a_table_that_may_exist_keeps_its_rows(statements: list[str], expected: str | None) -> None:
    statements = [each.replace("d.", "sales.d.") for each in statements]
    output = outputs_of(statements, "postgres")["t"]
    assert output.get("outputFacets", {}).get("lineage_write", {}).get("mode") == expected


RENAMED = "ALTER VIEW sales.d.v RENAME TO w"
OTHER = "CREATE VIEW sales.d.v AS SELECT * FROM sales.d.t"


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([RENAMED], "VIEW"),
        (["ALTER VIEW sales.d.v SET SCHEMA e"], "VIEW"),
        (["ALTER MATERIALIZED VIEW sales.d.v RENAME TO w"], None),
        (["ALTER TABLE sales.d.v RENAME TO w"], None),
        ([OTHER, "ALTER TABLE sales.d.v RENAME TO w"], "VIEW"),
        ([OTHER, "INSERT INTO sales.d.v VALUES (1)", "ALTER TABLE sales.d.v RENAME TO w"], None),
        # The view that had the name before is not the one that the run makes later.
        ([RENAMED, OTHER], None),
        ([RENAMED, "ALTER VIEW sales.d.u RENAME TO v"], None),
    ],
)
def test_a_renamed_view_is_a_view(statements: list[str], expected: str | None) -> None:
    types = types_of(statements, "postgres")
    assert types["v" if "SCHEMA" in statements[0] else "w"] == expected


@pytest.mark.parametrize(
    ("text", "dialect", "expected"),
    [
        ("CREATE OR ALTER VIEW d.v WITH SCHEMABINDING AS SELECT a FROM d.s", "tsql", "VIEW"),
        ("ALTER VIEW d.v AS SELECT a FROM d.s", "tsql", "VIEW"),
        ("CREATE ALGORITHM = MERGE VIEW d.v AS SELECT a FROM d.s", "mysql", "VIEW"),
        ("CREATE DYNAMIC TABLE d.s.v TARGET_LAG = '1 hour' WAREHOUSE = w AS SELECT a FROM d.s.t",
         "snowflake", None),
        ("CREATE STREAM d.s.v ON TABLE d.s.t", "snowflake", None),
    ],
)  # fmt: skip
def test_views_of_other_servers(text: str, dialect: str, expected: str | None) -> None:
    assert types_of([text], dialect)["v"] == expected
