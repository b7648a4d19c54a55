"""Columns of compiled SQL, with and without the columns in the catalog; expected values by hand."""

from __future__ import annotations

import pytest

from lineage.columns.algebra import Field
from lineage.readers.dbt.columns import ModelReader, ModelReads
from lineage.readers.dbt.files import (
    Artifacts,
    Catalog,
    CatalogColumn,
    CatalogTable,
    Manifest,
    Metadata,
    Node,
)
from lineage.readers.dbt.nodes import Project
from lineage.sql.scopes import Unreadable

NS = "db://host"
TABLES = {
    "orders": ["id", "customer", "amount"],
    "rates": ["code", "rate"],
    "Odd": ["Id", "two words"],
}


def source(name: str, database: str = "w") -> Node:
    return Node(f"source.p.raw.{name}", "source", name, "p", database, "raw", identifier=name)


def read(
    sql: str,
    adapter: str = "postgres",
    catalog: str = "orders rates Odd",
    stored: dict[tuple[str, ...], tuple[str, ...]] | None = None,
) -> ModelReads:
    """Read the SQL of a model ``w.main.out``; ``catalog`` lists the tables that it has."""
    out = Node("model.p.out", "model", "out", "p", "w", "main", alias="out")
    sources = {node.unique_id: node for node in map(source, TABLES)}
    manifest = Manifest(Metadata(adapter_type=adapter), {out.unique_id: out}, sources)
    known = {
        f"source.p.raw.{name}": CatalogTable(
            columns={
                column: CatalogColumn(column, "x", index)
                for index, column in enumerate(TABLES[name])
            }
        )
        for name in catalog.split()
    }
    artifacts = Artifacts(manifest, None, Catalog(Metadata(), {}, known), [])
    project = Project.from_artifacts(artifacts, NS)
    return ModelReader(project, stored or {}).read_model(sql, out.unique_id)


def direct(reads: ModelReads) -> dict[str, set[str]]:
    """Return the direct sources of each column as ``table.column``."""
    assert reads.columns is not None, reads.unresolved
    return {
        name: {
            f"{dep.source.dataset.name.removeprefix('w.raw.')}.{dep.source.column}"
            for dep in deps
            if dep.how.kind.is_direct and isinstance(dep.source, Field)
        }
        for name, deps in reads.columns.fields.items()
    }


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "select * from w.raw.orders",
            {"id": {"orders.id"}, "customer": {"orders.customer"}, "amount": {"orders.amount"}},
        ),
        (
            "select id, rate from w.raw.orders join w.raw.rates on code = customer",
            {"id": {"orders.id"}, "rate": {"rates.rate"}},
        ),
        (
            "with o as (select * from raw.orders) select sum(o.amount) as s from o",
            {"s": {"orders.amount"}},
        ),
        # A CTE hides the table of its name, but not within itself.
        (
            "with orders as (select id from raw.orders) select id from orders",
            {"id": {"orders.id"}},
        ),
        # In WHERE a name is that of the table, also if a column of the result has it.
        (
            "select id as customer, customer as id from raw.orders where id > 1",
            {"customer": {"orders.id"}, "id": {"orders.customer"}},
        ),
        (
            "select amount from raw.orders where id in (select rate from raw.rates)",
            {"amount": {"orders.amount"}},
        ),
        (
            'select "Id", "two words" as two from raw."Odd"',
            {"Id": {"Odd.Id"}, "two": {"Odd.two words"}},
        ),
        (
            "select o.amount * r.rate as eur from raw.orders o cross join raw.rates r",
            {"eur": {"orders.amount", "rates.rate"}},
        ),
        (
            "select id from raw.orders union all select rate from raw.rates",
            {"id": {"orders.id", "rates.rate"}},
        ),
    ],
)
def test_columns_with_the_catalog(sql: str, expected: dict[str, set[str]]):
    assert direct(read(sql)) == expected


def test_what_decides_the_rows_is_known():
    reads = read("select id as customer, customer as id from raw.orders where id > 1")
    assert reads.columns is not None
    assert {dep.source.column for dep in reads.columns.rows} == {"id"}


@pytest.mark.parametrize(
    ("adapter", "sql", "expected"),
    [
        # Snowflake folds to upper case; these tables were created with quotes in lower case.
        ("snowflake", 'select "id" from raw.orders', {"id": {"orders.id"}}),
        # DuckDB compares names without case, and keeps them as they were written.
        (
            "duckdb",
            "select ID, AMOUNT as Total from raw.ORDERS",
            {"ID": {"orders.id"}, "Total": {"orders.amount"}},
        ),
        ("duckdb", 'select "TWO WORDS" as two from raw.odd', {"two": {"Odd.two words"}}),
        ("sqlserver", "select [ID] as n from raw.orders", {"n": {"orders.id"}}),
        ("bigquery", "select id as n from `w.raw.orders`", {"n": {"orders.id"}}),
        # A column of the result, which several databases allow.
        (
            "duckdb",
            "select amount * 2 as twice, twice + 1 as more from raw.orders",
            {"twice": {"orders.amount"}, "more": {"orders.amount"}},
        ),
        # A column of the table has precedence over one of the result.
        (
            "duckdb",
            "select amount as id, id + 1 as more from raw.orders",
            {"id": {"orders.amount"}, "more": {"orders.id"}},
        ),
    ],
)
def test_columns_of_a_dialect(adapter: str, sql: str, expected: dict[str, set[str]]):
    assert direct(read(sql, adapter)) == expected


@pytest.mark.parametrize(
    ("sql", "catalog"),
    [
        # The column may be of either table.
        ("select id, rate from raw.orders join raw.rates on true", ""),
        ("select id, rate from raw.orders join raw.rates on true", "orders"),
        ("select * from raw.orders", ""),
        # Without the columns of the table, `twice` may be one of them.
        ("select amount as twice, twice + 1 as more from raw.orders", ""),
        # The catalog is older than the table.
        ("select id, new_column from raw.orders", "orders"),
        ("select sum(amount) from raw.orders", "orders"),
    ],
)
def test_columns_that_are_not_determined_are_unresolved(sql: str, catalog: str):
    reads = read(sql, catalog=catalog)
    assert reads.columns is None
    assert reads.inputs
    assert reads.unresolved


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("select a from raw.orders", {"w.raw.orders"}),
        ("select a from other.raw.t", {"other.raw.t"}),
        ("select a from elsewhere.t", {"w.elsewhere.t"}),
        ("select a from W.RAW.ORDERS", {"w.raw.orders"}),
        ("with t as (select 1 as a) select a from t", set()),
        (
            "select a from raw.orders where exists (select 1 from raw.rates)",
            {"w.raw.orders", "w.raw.rates"},
        ),
    ],
)
def test_tables_are_named_completely(sql: str, names: set[str]):
    assert {name.name for name in read(sql).inputs} == names


def test_a_table_without_a_schema_depends_on_the_session():
    reads = read("select a from t join raw.orders on true")
    assert {name.name for name in reads.inputs} == {"w.raw.orders"}
    assert reads.unresolved == (("the schema of a table is not known", "t"),)


@pytest.mark.parametrize("sql", ["select from where", "insert into t values (1)", ""])
def test_what_is_no_query_is_unreadable(sql: str):
    with pytest.raises(Unreadable):
        read(sql)


def test_an_adapter_without_a_dialect_is_unreadable():
    with pytest.raises(Unreadable, match="adapter"):
        read("select 1 as a", adapter="some-adapter")


def test_an_imported_catalog_has_the_columns_that_the_project_lacks() -> None:
    """The model reads a table that no source of the project names."""
    sql = "select * from w.raw.orders join w.legacy.notes on notes.id = orders.id"
    stored = {("w", "legacy", "Notes"): ("id", "body"), ("w", "raw", "orders"): ("wrong",)}
    columns = direct(read(sql.replace("*", "orders.*, body"), stored=stored))
    assert columns["body"] == {"w.legacy.notes.body"}
    assert columns["amount"] == {"orders.amount"}, "the catalog of the project wins"
    assert read(sql.replace("*", "orders.*, body")).columns is None


def test_positions_are_keys_of_a_model() -> None:
    reads = read("select customer, sum(amount) as total from w.raw.orders group by 1 order by 2")
    assert reads.columns is not None
    rows = {(each.source.column, each.how.kind.name) for each in reads.columns.rows}  # type: ignore[union-attr]
    assert rows == {("customer", "GROUP_BY"), ("amount", "SORT")}


def test_a_function_of_users_is_reported() -> None:
    reads = read("select w.main.rate(id) as r, lower(customer) as c from w.raw.orders")
    assert reads.unresolved == (("a function is not known, it may read tables", "w.main.rate"),)
    assert direct(reads) == {"r": {"orders.id"}, "c": {"orders.customer"}}
