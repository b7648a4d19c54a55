"""Pairs of tables of Databricks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from support.log_files import flows_of, read_file, read_records
from support.query_logs import fold_rows, later_row

if TYPE_CHECKING:
    from pathlib import Path


def test_databricks_names_pairs_of_tables(tmp_path: Path):
    [row] = read_records(
        tmp_path,
        "databricks",
        {
            "source_table_full_name": "main.raw.orders",
            "target_table_full_name": "main.clean.orders",
            "event_time": "2026-01-05T06:00:09Z",
            "entity_type": "NOTEBOOK",
            "entity_id": "17",
            "entity_run_id": "99",
            "created_by": "etl@corp",
        },
    )
    assert (row.job, row.session) == ("NOTEBOOK/17", "99")
    [flow] = flows_of(row)
    assert flow.target == ("main", "clean", "orders")
    assert flow.sources == (("main", "raw", "orders"),)


def test_databricks_does_not_show_the_mode_of_a_write(tmp_path: Path):
    record = {
        "source_table_full_name": "main.raw.s",
        "target_table_full_name": "main.gold.t",
        "event_time": "2026-01-05T06:00:00Z",
    }
    [row] = read_records(tmp_path, "databricks", record)
    assert [flow.mode for flow in flows_of(row)] == [""]


@pytest.mark.parametrize(
    ("fields", "tables"),
    [
        ({"source_path": "s3://b/in", "target_table_full_name": "main.gold.t"}, ["t"]),
        ({"source_table_full_name": "main.raw.s", "target_path": "s3://b/out"}, ["s"]),
    ],
)
def test_a_path_beside_a_table_of_databricks_is_unresolved(
    tmp_path: Path, fields: dict[str, str], tables: list[str]
):
    names = dict.fromkeys(("source_table_full_name", "target_table_full_name"))
    record = {**names, "event_time": "2026-01-05T06:00:00Z", "created_by": "etl@corp", **fields}
    rows = read_records(tmp_path, "databricks", record)
    run = fold_rows([*rows, later_row()], "databricks")["etl@corp"]
    assert [name.split(".")[-1] for name in [*run.inputs, *run.outputs]] == tables
    assert run.unresolved == {"the files of a path are not a table"}


def test_rows_of_paths_only_are_passed_over(tmp_path: Path):
    path = tmp_path / "lineage.csv"
    path.write_text(
        "source_table_full_name,source_path,target_table_full_name,target_path,event_time\n"
        "null,s3://b/in,null,s3://b/out,2026-01-05T06:00:00Z\n"
    )
    passed_over: Counter[str] = Counter()
    assert read_file(path, "databricks", passed_over) == ([], [])
    assert passed_over == {"paths": 1}


def test_null_in_an_export_of_databricks_is_no_name(tmp_path: Path):
    path = tmp_path / "lineage.csv"
    path.write_text(
        "source_table_full_name,target_table_full_name,event_time,created_by,entity_type\n"
        "null,main.gold.t,2026-01-05T06:00:00Z,etl@corp,null\n"
    )
    [row], bad = read_file(path, "databricks")
    [flow] = flows_of(row)
    assert (row.job, flow.sources, bad) == ("etl@corp", (), [])
