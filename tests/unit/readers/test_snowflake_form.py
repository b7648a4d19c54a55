"""Snowflake's access history: what queries read and wrote, as Snowflake names it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.log_files import flows_of, read_records
from support.query_logs import fold_rows

if TYPE_CHECKING:
    from pathlib import Path

SNOWFLAKE = {
    "QUERY_ID": "01b2-1",
    "QUERY_START_TIME": "2026-01-05 06:00:00.000 +0000",
    "END_TIME": "2026-01-04 22:00:09.000 -0800",
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
    assert (flow.target[-1], flow.sources, flow.from_files) == ("ORDERS", (), True)


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


ALTER = {
    **SNOWFLAKE,
    "QUERY_ID": "01b2-3",
    "QUERY_TYPE": "ALTER",
    "END_TIME": "2026-01-05 06:00:10.000 +0000",
    "BASE_OBJECTS_ACCESSED": [],
    "OBJECTS_MODIFIED": [],
}


def alter_object(domain: str, name: str, **properties: str) -> dict[str, Any]:
    """Return the row of an ALTER that changes ``properties`` of an object."""
    values = {key: {"value": value} for key, value in properties.items()}
    changed = {
        "objectDomain": domain, "objectName": name, "operationType": "ALTER", "properties": values,
    }  # fmt: skip
    return {**ALTER, "OBJECT_MODIFIED_BY_DDL": changed}


def test_a_table_of_snowflake_that_is_renamed_has_its_rows_from_the_old_name(tmp_path: Path):
    renamed = alter_object("Table", "SALES.RAW.ORDERS", objectName='SALES.RAW."Old Orders"')
    [run] = fold_rows(read_records(tmp_path, "snowflake-access", renamed), "snowflake").values()
    assert run.outputs == {"SALES.RAW.Old Orders": {"SALES.RAW.ORDERS"}}


def test_tables_of_snowflake_that_are_swapped_have_their_rows_from_each_other(tmp_path: Path):
    """So that the rows of a table that is built beside another are traced to it."""
    new = {"objectDomain": "Table", "objectName": "SALES.CLEAN.ORDERS_NEW"}
    build = {**SNOWFLAKE, "QUERY_TYPE": "CREATE_TABLE_AS_SELECT", "OBJECTS_MODIFIED": [new]}
    swap = alter_object(
        "Table",
        "SALES.CLEAN.ORDERS",
        swapTargetDomain="Table",
        swapTargetName="SALES.CLEAN.ORDERS_NEW",
    )
    rows = read_records(tmp_path, "snowflake-access", build, swap)
    [run] = fold_rows(rows, "snowflake").values()
    assert run.outputs == {
        "SALES.CLEAN.ORDERS": {"SALES.CLEAN.ORDERS_NEW"},
        "SALES.CLEAN.ORDERS_NEW": {"SALES.RAW.ORDERS", "SALES.RAW.RATES", "SALES.CLEAN.ORDERS"},
    }


@pytest.mark.parametrize("key", ["swapTargetName", "objectName"])
def test_the_tables_of_a_schema_that_has_another_name_are_unresolved(tmp_path: Path, key: str):
    row = alter_object("Schema", "SALES.CLEAN", **{key: "SALES.CLEAN_NEW"})
    [altered] = read_records(tmp_path, "snowflake-access", row)
    assert altered.observed is not None
    assert altered.observed.unresolved == (
        "the tables that ALTER of a schema changes are not known",
    )


@pytest.mark.parametrize("domain", ["Event table", "Hybrid Table", "Dynamic Table"])
def test_tables_of_all_kinds_are_sources(tmp_path: Path, domain: str):
    source = {"objectDomain": domain, "objectName": "SALES.RAW.EVENTS"}
    query = {**SNOWFLAKE, "BASE_OBJECTS_ACCESSED": [source]}
    [row] = read_records(tmp_path, "snowflake-access", query)
    assert row.observed is not None
    assert row.observed.reads == (("SALES", "RAW", "EVENTS"),)
    assert row.observed.unresolved == ()


@pytest.mark.parametrize("domain", ["Stream", "Semantic view"])
def test_an_object_that_is_neither_a_table_nor_known_to_have_none_is_unresolved(
    tmp_path: Path, domain: str
):
    """The table of a stream is not in the access history."""
    source = {"objectDomain": domain, "objectName": "SALES.RAW.CHANGES"}
    column = {"columnName": "AMOUNT", "directSources": [{**source, "columnName": "AMOUNT"}]}
    target = {"objectDomain": "Table", "objectName": "SALES.CLEAN.ORDERS", "columns": [column]}
    query = {**SNOWFLAKE, "BASE_OBJECTS_ACCESSED": [source], "OBJECTS_MODIFIED": [target]}
    [row] = read_records(tmp_path, "snowflake-access", query)
    assert [flow.sources for flow in flows_of(row)] == [()]
    assert row.observed is not None
    assert row.observed.unresolved == (
        f"the tables of the {domain.lower()} SALES.RAW.CHANGES are not known",
    )
