"""Tables of the database system: read only by statements that write their rows."""

from __future__ import annotations

import pytest

from lineage.sql import Session, read_statements


def reads_of(dialect: str, text: str, database: str = "db") -> set[str]:
    session = Session(dialect, database)
    effects = [session.apply_statement(each) for each in read_statements(text, dialect)]
    return {".".join(name) for effect in effects for name in effect.reads}


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("postgres", "SELECT relname FROM pg_class, pg_catalog.pg_namespace n"),
        ("postgres", "SELECT * FROM information_schema.columns"),
        ("redshift", "SELECT * FROM svv_tables, sys_query_history"),
        ("tsql", "SELECT name FROM sys.tables; SELECT name FROM other.sys.tables"),
        ("tsql", "SELECT * FROM INFORMATION_SCHEMA.TABLES"),
        ("tsql", "SELECT * FROM sysobjects; SELECT 1 FROM dbo.sysobjects"),
        ("mysql", "SELECT * FROM information_schema.TABLES; SELECT user FROM mysql.user"),
        ("mysql", "SELECT 1 FROM dual"),
        ("snowflake", "SELECT * FROM db.INFORMATION_SCHEMA.TABLES; SELECT 1 FROM dual"),
        ("snowflake", "SELECT * FROM SNOWFLAKE.ACCOUNT_USAGE.QUERY_HISTORY"),
        ("bigquery", "SELECT * FROM ds.INFORMATION_SCHEMA.TABLES; SELECT * FROM `p.ds.__TABLES__`"),
        ("databricks", "SELECT * FROM system.access.table_lineage"),
        ("oracle", "SELECT sysdate FROM dual; SELECT 1 FROM SYS.DUAL; SELECT * FROM all_tables"),
        ("duckdb", "SELECT * FROM information_schema.tables, pg_catalog.pg_class"),
        ("trino", "SELECT * FROM system.runtime.queries"),
    ],
)  # fmt: skip
def test_looking_something_up_reads_no_table(dialect: str, text: str) -> None:
    assert reads_of(dialect, text) == set()


@pytest.mark.parametrize(
    ("dialect", "text", "source"),
    [
        ("postgres", "INSERT INTO s.t SELECT relname FROM pg_class", "db.pg_catalog.pg_class"),
        ("tsql", "SELECT name INTO dbo.t FROM sys.tables", "db.sys.tables"),
        (
            "snowflake",
            "CREATE TABLE db.s.t AS SELECT * FROM SNOWFLAKE.ACCOUNT_USAGE.QUERY_HISTORY",
            "SNOWFLAKE.ACCOUNT_USAGE.QUERY_HISTORY",
        ),
    ],
)
def test_a_system_table_is_the_source_of_what_is_written(
    dialect: str, text: str, source: str
) -> None:
    [effect] = [Session(dialect, "db").apply_statement(s) for s in read_statements(text, dialect)]
    assert [".".join(name) for name in effect.reads] == [source]
    assert [flow.sources for flow in effect.flows] == [effect.reads]


@pytest.mark.parametrize(
    ("dialect", "table"),
    [
        ("postgres", "db.public.pg_orders"),
        ("tsql", "db.dbo.sysorders"),
        ("mysql", "shop.user"),
        ("snowflake", "SNOWFLAKE_SAMPLE_DATA.TPCH_SF1.ORDERS"),
        ("databricks", "main.system.orders"),
        ("bigquery", "p.ds.tables"),
    ],
)
def test_tables_of_users_are_read(dialect: str, table: str) -> None:
    assert reads_of(dialect, f"SELECT * FROM {table}") == {table}


@pytest.mark.parametrize(
    ("dialect", "table"),
    [
        ("oracle", "USER_ACCOUNTS"),
        ("redshift", "sys_users"),
        ("postgres", "pg_orders"),
        ("tsql", "sysorders"),
        ("snowflake", "__TABLES"),
    ],
)
def test_tables_of_users_may_begin_like_those_of_the_system(dialect: str, table: str) -> None:
    session = Session(dialect, "db", "s")
    [effect] = [
        session.apply_statement(s) for s in read_statements(f"SELECT 1 FROM {table}", dialect)
    ]
    assert effect.reads == (("db", "s", table),)


def test_the_system_catalog_is_searched_before_the_search_path() -> None:
    assert reads_of("postgres", "SET search_path = a, b; CREATE TABLE b.t AS TABLE pg_class") == {
        "db.pg_catalog.pg_class"
    }
