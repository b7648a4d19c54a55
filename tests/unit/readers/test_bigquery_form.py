"""Jobs of BigQuery: what they read and wrote, as BigQuery names it."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from support.log_files import flows_of, read_file, read_records
from support.query_logs import fold_rows, later_row

if TYPE_CHECKING:
    from pathlib import Path

BIGQUERY = {
    "job_id": "j1",
    "creation_time": "2026-01-05T06:00:00Z",
    "end_time": "2026-01-05T06:00:09Z",
    "statement_type": "INSERT",
    "user_email": "etl@corp",
    "labels": [{"key": "job", "value": "load"}],
    "referenced_tables": [{"project_id": "p", "dataset_id": "raw", "table_id": "orders$20260101"}],
    "destination_table": {"project_id": "p", "dataset_id": "clean", "table_id": "orders"},
}


def test_bigquery_names_tables_without_their_partitions(tmp_path: Path):
    [row] = read_records(tmp_path, "bigquery", BIGQUERY)
    assert row.job == "load"
    [flow] = flows_of(row)
    assert (flow.target, flow.sources) == (("p", "clean", "orders"), (("p", "raw", "orders"),))


def test_times_of_pandas_are_milliseconds(tmp_path: Path):
    """DataFrame.to_json writes times so, unless date_format is iso."""
    times = {"creation_time": 1767592800000, "end_time": 1767592809123}
    [row] = read_records(tmp_path, "bigquery", {**BIGQUERY, **times})
    assert row.time == "2026-01-05T06:00:09.123000Z"
    path = tmp_path / "seconds.jsonl"
    path.write_text(json.dumps({**BIGQUERY, "end_time": 1767592809}))
    rows, [error] = read_file(path, "bigquery")
    assert rows == []
    assert error.endswith("end_time is missing or not a text.")


def test_the_result_of_a_query_of_bigquery_is_no_table(tmp_path: Path):
    result = {"project_id": "p", "dataset_id": "_a1b2", "table_id": "anon3c4d"}
    query = {**BIGQUERY, "statement_type": "SELECT", "destination_table": result}
    [row] = read_records(tmp_path, "bigquery", query)
    assert flows_of(row) == []
    assert row.observed is not None
    assert row.observed.reads == (("p", "raw", "orders"),)


def test_a_copy_job_of_bigquery_reads_the_tables_of_its_configuration(tmp_path: Path):
    table = {"projectId": "p", "datasetId": "raw", "tableId": "orders$20260101"}
    copy = {**BIGQUERY, "job_type": "COPY", "statement_type": None, "referenced_tables": None}
    configuration = {"copy": {"sourceTables": [table], "writeDisposition": "WRITE_TRUNCATE"}}
    [row] = read_records(tmp_path, "bigquery", {**copy, "configuration": configuration})
    [flow] = flows_of(row)
    assert (flow.sources, flow.mode) == ((("p", "raw", "orders"),), "overwrite")
    [row] = read_records(tmp_path, "bigquery", copy)
    assert row.observed is not None
    assert row.observed.unresolved == ("the table that a copy job read is not known",)
    assert [flow.sources for flow in flows_of(row)] == [()]


@pytest.mark.parametrize(
    ("fields", "from_files"),
    [
        ({"job_type": "LOAD", "statement_type": None}, True),
        ({"job_type": "QUERY", "statement_type": "LOAD_DATA"}, True),
        ({"job_type": "QUERY", "statement_type": "INSERT"}, False),
    ],
)
def test_a_load_job_of_bigquery_reads_files(
    tmp_path: Path, fields: dict[str, Any], from_files: bool
) -> None:
    load = {**BIGQUERY, **fields, "referenced_tables": None}
    [flow] = flows_of(*read_records(tmp_path, "bigquery", load))
    assert (flow.sources, flow.from_files) == ((), from_files)


def test_a_script_of_bigquery_is_its_statements(tmp_path: Path):
    script = {**BIGQUERY, "job_id": "j0", "statement_type": "SCRIPT"}
    child = {**BIGQUERY, "parent_job_id": "j0", "error_result": {"reason": "invalidQuery"}}
    [row] = read_records(tmp_path, "bigquery", script, child)
    assert row.observed is not None
    assert (row.observed.id, row.session, row.failed) == ("j1", "j0", True)


@pytest.mark.parametrize(
    ("fields", "mode"),
    [
        ({"write_disposition": "WRITE_TRUNCATE"}, "overwrite"),
        ({"configuration": {"query": {"writeDisposition": "WRITE_APPEND"}}}, "append"),
        ({"configuration": '{"load": {"writeDisposition": "WRITE_EMPTY"}}'}, "create"),
        ({}, ""),
        ({"statement_type": "INSERT", "write_disposition": "WRITE_TRUNCATE"}, "append"),
    ],
)
def test_a_write_of_bigquery_has_the_mode_that_the_export_shows(
    tmp_path: Path, fields: dict[str, Any], mode: str
):
    destination = {"project_id": "p", "dataset_id": "d", "table_id": "t"}
    record = {**BIGQUERY, "statement_type": "SELECT", "destination_table": destination, **fields}
    [row] = read_records(tmp_path, "bigquery", record)
    assert [(flow.target, flow.mode) for flow in flows_of(row)] == [(("p", "d", "t"), mode)]


@pytest.mark.parametrize("fields", [{"end_time": None}, {"state": "RUNNING"}, {"state": "PENDING"}])
def test_a_job_of_bigquery_that_has_not_ended_is_passed_over(
    tmp_path: Path, fields: dict[str, Any]
):
    """A later export has the row that shows whether it failed."""
    path = tmp_path / "jobs.jsonl"
    path.write_text(json.dumps({**BIGQUERY, **fields}))
    passed_over: Counter[str] = Counter()
    assert read_file(path, "bigquery", passed_over) == ([], [])
    assert passed_over == {"jobs that have not ended": 1}


def test_a_job_of_bigquery_has_the_time_of_its_creation_without_another(tmp_path: Path):
    record = {name: value for name, value in BIGQUERY.items() if name != "end_time"}
    [row] = read_records(tmp_path, "bigquery", record)
    assert row.time == "2026-01-05T06:00:00.000000Z"


@pytest.mark.parametrize(
    ("end", "outputs"),
    [
        ("COMMIT_TRANSACTION", {"p.clean.orders": {"p.raw.orders"}}),
        ("ROLLBACK_TRANSACTION", {}),
    ],
)
def test_a_write_of_bigquery_counts_once_its_transaction_is_committed(
    tmp_path: Path, end: str, outputs: dict[str, set[str]]
):
    kinds = ("BEGIN_TRANSACTION", "INSERT", end)
    jobs = [
        {
            **BIGQUERY,
            "job_id": f"j{second}",
            "parent_job_id": "script",
            "statement_type": kind,
            "end_time": f"2026-01-05T06:00:0{second}Z",
            **({} if kind == "INSERT" else {"referenced_tables": None, "destination_table": None}),
        }
        for second, kind in enumerate(kinds)
    ]
    rows = read_records(tmp_path, "bigquery", *jobs)
    run = fold_rows([*rows, later_row()], "bigquery")["load"]
    assert run.outputs == outputs
    assert run.unresolved == set()


@pytest.mark.parametrize(
    ("kind", "modes"),
    [
        ("CREATE_VIEW", ["create"]),
        ("CREATE_MATERIALIZED_VIEW", ["create"]),
        ("CREATE_EXTERNAL_TABLE", ["create"]),
        ("CREATE_SNAPSHOT_TABLE", ["create"]),
        ("DROP_MATERIALIZED_VIEW", ["drop"]),
        ("DROP_EXTERNAL_TABLE", ["drop"]),
        ("DROP_SNAPSHOT_TABLE", ["drop"]),
        ("ALTER_MATERIALIZED_VIEW", ["alter"]),
        ("DROP_ROW_ACCESS_POLICY", ["alter"]),
        ("EXPORT_DATA", []),
    ],
)
def test_a_statement_of_bigquery_changes_its_table_by_its_type(
    tmp_path: Path, kind: str, modes: list[str]
):
    [row] = read_records(tmp_path, "bigquery", {**BIGQUERY, "statement_type": kind})
    assert [flow.mode for flow in flows_of(row)] == modes
    assert [flow.is_view for flow in flows_of(row)] == [kind == "CREATE_VIEW"] * len(modes)


@pytest.mark.parametrize(
    ("kind", "dataset", "table", "count"),
    [
        ("SELECT", "_a1b2", "anon3c4d", 0),
        ("SELECT", "_bqodbc_temp_tables", "_bqodbc_temp_table_abc", 0),
        ("CREATE_TABLE_AS_SELECT", "_script1a2b", "stage", 1),
        ("SELECT", "users", "anonymized", 1),
    ],
)
def test_only_the_tables_of_results_that_nobody_stored_are_anonymous(
    tmp_path: Path, kind: str, dataset: str, table: str, count: int
):
    result = {"project_id": "p", "dataset_id": dataset, "table_id": table}
    query = {**BIGQUERY, "statement_type": kind, "destination_table": result}
    [row] = read_records(tmp_path, "bigquery", query)
    assert len(flows_of(row)) == count
