"""The dialect of a server, by its namespace or its JDBC URL."""

from __future__ import annotations

import pytest

from lineage.readers.query_logs.sources import choose_dialect
from lineage.sql.servers import dialect_of_jdbc, dialect_of_namespace


@pytest.mark.parametrize(
    ("namespace", "dialect"),
    [
        ("trino://h:8080", "trino"),
        ("sqlite:/data/shop.db", "sqlite"),
        ("sqlite", "sqlite"),
        ("bigquery", "bigquery"),
        ("SQLServer://h:1433", "tsql"),
        ("mssql://h", "tsql"),
        ("postgresql://h", "postgres"),
    ],
)
def test_imports_know_the_dialect_of_a_namespace(namespace: str, dialect: str):
    assert dialect_of_namespace(namespace) == dialect
    assert choose_dialect(None, None, namespace) == dialect


@pytest.mark.parametrize("namespace", ["s3://lake", "file", "", "clickhouse://h:8123"])
def test_the_dialect_of_other_namespaces_is_not_known(namespace: str):
    assert dialect_of_namespace(namespace) is None


@pytest.mark.parametrize(
    ("url", "dialect"),
    [
        ("jdbc:trino://h:8080/hive", "trino"),
        ("jdbc:sqlite:/data/shop.db", "sqlite"),
        ("jdbc:ch://h:8123/shop", "clickhouse"),
        ("jdbc:hive2://h:10000/shop", "hive"),
        ("jdbc:jtds:sqlserver://h/shop", "tsql"),
        (" JDBC:PostgreSQL://h/shop", "postgres"),
        ("jdbc:unknown://h", None),
        ("postgresql://h/shop", None),
    ],
)
def test_the_dialect_of_a_jdbc_url(url: str, dialect: str | None):
    assert dialect_of_jdbc(url) == dialect
