"""Snowflake's access history: what queries read and wrote, as Snowflake names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.log_files import flows_of, read_records

if TYPE_CHECKING:
    from pathlib import Path

SNOWFLAKE = {
    "QUERY_ID": "01b2-1",
    "QUERY_START_TIME": "2026-01-05T06:00:00Z",
    "END_TIME": "2026-01-05T06:00:09Z",
    "QUERY_TYPE": "INSERT",
    "QUERY_TAG": "python_task::load",
    "USER_NAME": "ETL",
    "SESSION_ID": 42,
    "EXECUTION_STATUS": "SUCCESS",
    "BASE_OBJECTS_ACCESSED": [
        {"objectDomain": "Table", "objectName": "SALES.RAW.ORDERS"},
        {"objectDomain": "Table", "objectName": "SALES.RAW.RATES"},
        {"objectDomain": "Stage", "objectName": "SALES.RAW.FILES"},
    ],
    "OBJECTS_MODIFIED": [
        {
            "objectDomain": "Table",
            "objectName": 'SALES.CLEAN."Order.Items"',
            "columns": [
                {
                    "columnName": "AMOUNT",
                    "directSources": [{"objectName": "SALES.RAW.ORDERS", "columnName": "AMOUNT"}],
                }
            ],
        }
    ],
}


def test_snowflake_names_the_sources(tmp_path: Path):
    [row] = read_records(tmp_path, "snowflake-access", SNOWFLAKE)
    assert (row.job, row.session, row.failed) == ("load", "42", False)
    assert row.time == "2026-01-05T06:00:09.000000Z"
    [flow] = flows_of(row)
    assert flow.target == ("SALES", "CLEAN", "Order.Items"), "a quoted name may contain a dot"
    orders, rates = ("SALES", "RAW", "ORDERS"), ("SALES", "RAW", "RATES")
    assert flow.sources == (orders, rates), "a table that is only joined determines the rows"
    assert row.observed is not None
    assert row.observed.reads == (orders, rates)


def test_a_view_is_a_source_beside_its_tables(tmp_path: Path):
    [target] = SNOWFLAKE["OBJECTS_MODIFIED"]
    view = {"objectDomain": "View", "objectName": "SALES.RAW.OPEN_ORDERS", "columnName": "AMOUNT"}
    columns = [{"columnName": "AMOUNT", "directSources": [view]}]
    query = {**SNOWFLAKE, "OBJECTS_MODIFIED": [{**target, "columns": columns}]}
    [flow] = flows_of(*read_records(tmp_path, "snowflake-access", query))
    assert [source[-1] for source in flow.sources] == ["OPEN_ORDERS", "ORDERS", "RATES"]


def test_a_table_that_is_changed_is_no_source_of_itself(tmp_path: Path):
    orders = {"objectDomain": "Table", "objectName": "SALES.RAW.ORDERS"}
    update = {**SNOWFLAKE, "QUERY_TYPE": "UPDATE", "OBJECTS_MODIFIED": [orders]}
    [flow] = flows_of(*read_records(tmp_path, "snowflake-access", update))
    assert (flow.target[-1], flow.mode) == ("ORDERS", "merge")
    assert flow.sources == (("SALES", "RAW", "RATES"),)


def test_a_stage_is_no_table(tmp_path: Path):
    """Neither as the target of an unload, nor as the source of a load."""
    stage = {
        "objectDomain": "Stage",
        "objectName": "SALES.RAW.FILES",
        "stageKind": "Internal Named",
    }
    unload = {**SNOWFLAKE, "QUERY_TYPE": "UNLOAD", "OBJECTS_MODIFIED": [stage]}
    table = {
        "objectDomain": "Table",
        "objectName": "SALES.RAW.ORDERS",
        "columns": [{"columnName": "ID", "directSources": [stage]}],
    }
    load = {
        **SNOWFLAKE,
        "QUERY_ID": "01b2-2",
        "QUERY_TYPE": "COPY",
        "BASE_OBJECTS_ACCESSED": [stage],
        "OBJECTS_MODIFIED": [table],
    }
    unloaded, loaded = read_records(tmp_path, "snowflake-access", unload, load)
    assert flows_of(unloaded) == []
    [flow] = flows_of(loaded)
    assert (flow.target[-1], flow.sources) == ("ORDERS", ())


def test_a_failed_query_of_snowflake_has_failed(tmp_path: Path):
    [row] = read_records(tmp_path, "snowflake-access", {**SNOWFLAKE, "EXECUTION_STATUS": "FAIL"})
    assert row.failed


@pytest.mark.parametrize(
    ("change", "modes", "unresolved"),
    [
        ({"objectDomain": "Table", "operationType": "DROP"}, ["drop"], ()),
        ({"objectDomain": "Schema", "operationType": "CREATE"}, [], ()),
        ({"objectDomain": "Masking Policy", "operationType": "DROP"}, [], ()),
        ({"objectDomain": "Schema", "operationType": "DROP"}, [], ("DROP of a schema",)),
        ({"objectDomain": "Table", "operationType": "UNDROP"}, [], ("UNDROP of a table",)),
        ({"operationType": "ALTER"}, [], ("ALTER of a nameless object",)),
    ],
)
def test_what_a_definition_of_snowflake_changes_is_named_or_unresolved(
    tmp_path: Path, change: dict[str, str], modes: list[str], unresolved: tuple[str, ...]
):
    changed = {"objectName": "SALES.RAW.ORDERS", **change}
    record = {**SNOWFLAKE, "OBJECTS_MODIFIED": [], "OBJECT_MODIFIED_BY_DDL": changed}
    [row] = read_records(tmp_path, "snowflake-access", record)
    assert [flow.mode for flow in flows_of(row)] == modes
    assert row.observed is not None
    assert row.observed.unresolved == tuple(
        f"the tables that {each} changes are not known" for each in unresolved
    )
