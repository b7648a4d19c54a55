"""Files of catalogs: names of objects by dialect, and what is not taken from them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from lineage.readers.catalog_files import CatalogFiles
from lineage.readers.catalogs import catalog_events, decode_objects, stored_objects
from lineage.readers.log_source import LogSource
from lineage.readers.report import ImportReport
from lineage.sql import Session, read_statements

if TYPE_CHECKING:
    from pathlib import Path

    from lineage.sql.records import Name

COLUMNS = "table_catalog,table_schema,table_name,column_name,ordinal_position,data_type\n"
ROUTINES = (
    "routine_catalog,routine_schema,routine_name,external_language,is_deterministic,"
    "routine_definition\n"
)
# mariadb --batch -e 'SELECT * FROM information_schema.views WHERE …', of MariaDB 10.11
MARIADB_VIEWS = (
    "TABLE_CATALOG\tTABLE_SCHEMA\tTABLE_NAME\tVIEW_DEFINITION\tCHECK_OPTION\tIS_UPDATABLE\n"
    "def\tshop\tv_totals\tselect `c`.`name` AS `name`,`t`.`total` AS `total` from"
    " (`shop`.`customers` `c` join `shop`.`totals` `t` on(`t`.`customer` = `c`.`id`))\tNONE\tYES\n"
    "def\tsys\tversion\tselect '1.5.2' AS `sys_version`\tNONE\tNO\n"
)


def read_catalog(path: Path, dialect: str, *texts: str) -> tuple[CatalogFiles, list[str]]:
    bad: list[str] = []
    files = []
    for number, text in enumerate(texts):
        file = path / f"{number}.csv"
        file.write_text(text)
        files.append(str(file))
    catalog = CatalogFiles.read_files(tuple(files), dialect, lambda error: bad.append(str(error)))
    return catalog, [each.removeprefix(f"{path}/") for each in bad]


@pytest.mark.parametrize(
    ("dialect", "row", "name"),
    [
        ("postgres", "Shop,Sales,Orders", ("Shop", "Sales", "Orders")),
        ("tsql", "Shop,Sales,Orders", ("shop", "sales", "orders")),  # as in statements
        ("snowflake", "SHOP,SALES,ORDERS", ("SHOP", "SALES", "ORDERS")),
        ("databricks", "Main,Sales,Orders", ("main", "sales", "orders")),
        ("mysql", "def,shop,Orders", ("shop", "Orders")),
        ("oracle", ",HR,EMP", ("HR", "EMP")),
        ("trino", "hive,sales,orders", ("hive", "sales", "orders")),
    ],
)
def test_names_are_those_of_statements(tmp_path: Path, dialect: str, row: str, name: Name) -> None:
    catalog, bad = read_catalog(tmp_path, dialect, f"{COLUMNS}{row},id,1,int\n")
    assert (list(catalog.columns), bad) == ([name], [])


@pytest.mark.parametrize(
    ("dialect", "row"),
    [
        ("postgres", "shop,pg_catalog,pg_class"),
        ("postgres", "shop,information_schema,columns"),
        ("postgres", "shop,pg_temp_3,stage"),
        ("tsql", "shop,sys,tables"),
        ("snowflake", "SHOP,INFORMATION_SCHEMA,TABLES"),
        ("mysql", "def,performance_schema,threads"),
        ("mysql", "def,mysql,user"),
    ],
)
def test_objects_of_the_system_are_left_out(tmp_path: Path, dialect: str, row: str) -> None:
    catalog, bad = read_catalog(tmp_path, dialect, f"{COLUMNS}{row},id,1,int\n")
    assert (catalog.columns, bad) == ({}, [])


@pytest.mark.parametrize(
    ("dialect", "row", "missing"),
    [
        ("postgres", ",public,orders", "table_catalog"),
        ("postgres", "shop,,orders", "table_schema"),
        ("oracle", ",,EMP", "table_schema"),
        ("tsql", "NULL,dbo,orders", "table_catalog"),
    ],
)
def test_a_name_without_a_part_is_reported(
    tmp_path: Path, dialect: str, row: str, missing: str
) -> None:
    """public.orders would be another dataset than shop.public.orders."""
    catalog, bad = read_catalog(tmp_path, dialect, f"{COLUMNS}{row},id,1,int\n")
    assert (catalog.columns, bad) == ({}, [f"0.csv:2: {missing} is missing or not a text."])


def test_what_mysql_prints_in_batch_mode_is_read(tmp_path: Path) -> None:
    catalog, bad = read_catalog(tmp_path, "mysql", MARIADB_VIEWS)
    assert (list(catalog.views), bad) == ([("shop", "v_totals")], [])
    source = LogSource("mysql://db:3306", "mysql")
    report = ImportReport()
    [event] = map(
        json.loads, catalog_events(catalog, stored_objects(catalog, source), source, report)
    )
    assert event["dataset"]["name"] == "shop.v_totals"
    facets = event["dataset"]["facets"]
    assert {each["name"] for each in facets["lineage"]["inputs"]} == {
        "shop.customers", "shop.totals"
    }  # fmt: skip
    direct = {
        field: [(each["name"], each["field"]) for each in value["inputFields"]]
        for field, value in facets["columnLineage"]["fields"].items()
    }
    assert direct == {"name": [("shop.customers", "name")], "total": [("shop.totals", "total")]}
    assert report.unresolved == []


def call_of(tmp_path: Path, *routines: str) -> tuple[set[str], list[str]]:
    """Return the outputs of ``CALL w.load()`` with these routines, and what is not known."""
    catalog, bad = read_catalog(tmp_path, "postgres", ROUTINES + "".join(routines))
    assert bad == []
    objects = stored_objects(catalog, LogSource("postgres://db", "postgres"))
    session = Session("postgres", "shop", "public", decode_objects(objects))
    [statement] = read_statements("CALL w.load()", "postgres")
    effect = session.apply_statement(statement)
    return {flow.target[-1] for flow in effect.flows}, list(effect.unresolved)


LOAD_A = "shop,w,load,PLPGSQL,NO,begin insert into w.a select 1; end\n"
LOAD_B = "shop,w,load,SQL,NO,insert into w.b select 1\n"
LOAD_C = "shop,w,load,C,NO,load_c\n"
PURE = "shop,w,load,C,YES,load_c\n"
NOT_KNOWN = "the body of the procedure w.load is not known"
SEVERAL = "which of the 2 routines shop.w.load runs is not known"


@pytest.mark.parametrize(
    ("routines", "outputs", "reasons"),
    [
        ([LOAD_A], {"a"}, []),
        ([LOAD_A, LOAD_A], {"a"}, []),
        ([LOAD_A, LOAD_B], set(), [SEVERAL]),
        ([LOAD_A, LOAD_C], set(), [SEVERAL]),
        ([LOAD_C], set(), [NOT_KNOWN]),
        ([PURE], set(), []),  # PostgreSQL: an IMMUTABLE function reads no table
    ],
)
def test_a_call_runs_the_only_routine_of_its_name(
    tmp_path: Path, routines: list[str], outputs: set[str], reasons: list[str]
) -> None:
    assert call_of(tmp_path, *routines) == (outputs, reasons)


def test_procedures_of_snowflake_have_a_table_of_their_own(tmp_path: Path) -> None:
    names = "procedure_catalog,procedure_schema,procedure_name,procedure_language,"
    catalog, bad = read_catalog(
        tmp_path, "snowflake",
        f"{names}procedure_definition\nDB,S,LOAD,SQL,begin insert into s.a select 1; end\n",
        f"{names.replace('procedure', 'function')}function_definition\nDB,S,F,PYTHON,return 1\n",
    )  # fmt: skip
    assert bad == []
    assert {name: [each.text for each in found] for name, found in catalog.routines.items()} == {
        ("DB", "S", "LOAD"): ["begin insert into s.a select 1; end"],
        ("DB", "S", "F"): [None],
    }


def test_a_body_that_the_server_does_not_report_is_an_error(tmp_path: Path) -> None:
    catalog, bad = read_catalog(tmp_path, "postgres", f"{ROUTINES}shop,w,load,SQL,NO,\n{LOAD_A}")
    assert [each.partition(" The")[0] for each in bad] == ["0.csv:2: routine_definition is empty."]
    assert [each.text is None for each in catalog.routines["shop", "w", "load"]] == [True, False]
