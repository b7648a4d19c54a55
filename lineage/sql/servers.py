"""The SQL dialects of servers, by their namespaces and JDBC URLs."""

from __future__ import annotations

import re

# Dialects of servers by the scheme of a namespace, or by the namespace itself.
_BY_SCHEME = {
    "bigquery": "bigquery",
    "databricks": "databricks",
    "duckdb": "duckdb",
    "hive": "hive",
    "mssql": "tsql",
    "mysql": "mysql",
    "oracle": "oracle",
    "postgres": "postgres",
    "postgresql": "postgres",
    "redshift": "redshift",
    "snowflake": "snowflake",
    "spark": "spark",
    "sqlite": "sqlite",
    "sqlserver": "tsql",
    "trino": "trino",
}
# JDBC has more: of those that are only here, queries are read, but no statements.
_BY_JDBC_SCHEME = {
    **_BY_SCHEME,
    "ch": "clickhouse",
    "clickhouse": "clickhouse",
    "hive2": "hive",
    "jtds": "tsql",
    "mariadb": "mysql",
    "teradata": "teradata",
}
_JDBC_SCHEME = re.compile(r"(?i)\s*jdbc:(\w+)")
# The dialects of which statements are read.
DIALECTS = tuple(sorted({*_BY_SCHEME.values()}))


def dialect_of_namespace(namespace: str) -> str | None:
    """Return the dialect of a server by the scheme of its namespace; None if it is not known."""
    return _BY_SCHEME.get(namespace.partition(":")[0].lower())


def dialect_of_jdbc(url: str) -> str | None:
    """Return the dialect of a server by its JDBC URL; None if it is not known."""
    scheme = _JDBC_SCHEME.match(url)
    return _BY_JDBC_SCHEME.get(scheme[1].lower()) if scheme else None
