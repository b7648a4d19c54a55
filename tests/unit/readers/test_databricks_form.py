"""Pairs of tables of Databricks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.log_files import flows_of, read_records

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
