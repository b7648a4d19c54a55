"""Jobs of BigQuery: what they read and wrote, as BigQuery names it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.log_files import flows_of, read_records

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
