"""Tables of the database system itself: its catalogs, its statistics and its logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.dialects import POSTGRES_FAMILY, TSQL
from lineage.sql.word_lists import read_words

if TYPE_CHECKING:
    from lineage.sql.records import Name

# A schema of all dialects. BigQuery's names have it in the part of the table.
_INFORMATION_SCHEMA = "information_schema"
_SCHEMAS = {
    **dict.fromkeys(POSTGRES_FAMILY, frozenset({"pg_catalog", "pg_toast"})),
    **dict.fromkeys(TSQL, frozenset({"sys"})),
    "duckdb": frozenset({"pg_catalog"}),
    "mysql": frozenset({"mysql", "performance_schema", "sys"}),
    "oracle": frozenset({"sys"}),
}
# Databases of the system, in names of three parts.
_DATABASES = {
    "snowflake": "snowflake", **dict.fromkeys(("databricks", "spark", "trino"), "system"),
}  # fmt: skip
# Views of Redshift without a schema, by the beginning of their names.
_REDSHIFT_PREFIXES = ("stl_", "stv_", "svv_", "svl_", "svcs_", "svcl_")
# Those of the prefix sys_, which tables of users may have, too.
_REDSHIFT_VIEWS = frozenset(
    f"sys_{name}"
    for name in (
        *("query_history", "query_detail", "query_text", "query_explain", "transaction_history"),
        *("load_history", "load_detail", "load_error_detail", "unload_history", "unload_detail"),
        *("external_query_detail", "serverless_usage", "session_history", "connection_log"),
        *("userlog", "vacuum_history", "analyze_history", "procedure_call", "copy_replacements"),
    )
)
# Views of Oracle's dictionary have one of these prefixes; tables of users may have them, too.
_ORACLE_VIEWS = frozenset(
    f"{prefix}_{name}"
    for prefix in ("all", "dba", "user")
    for name in (
        *("arguments", "col_comments", "cons_columns", "constraints", "db_links", "dependencies"),
        *("ind_columns", "indexes", "jobs", "mviews", "objects", "procedures", "scheduler_jobs"),
        *("segments", "sequences", "source", "synonyms", "tab_cols", "tab_columns", "tables"),
        *("tab_comments", "tab_partitions", "tab_privs", "triggers", "types", "users", "views"),
    )
)
# Views of SQL Server that an earlier version had in the schema dbo.
_OLD_VIEWS = frozenset(
    {
        "sysobjects",
        "syscolumns",
        "sysindexes",
        "sysindexkeys",
        "sysusers",
        "systypes",
        "syscomments",
    }
    | {"sysdatabases", "sysprocesses", "sysforeignkeys", "sysreferences", "sysconstraints"}
    | {"sysdepends", "sysfiles", "sysmembers", "syspermissions", "sysprotects", "sysfilegroups"}
)


def system_schema(table: str, dialect: str) -> str | None:
    """Return the schema of a system table that needs none; None for another table."""
    name = table.lower()
    if dialect in POSTGRES_FAMILY and name in read_words("system_tables.txt"):
        return "pg_catalog"
    if dialect == "redshift" and (name.startswith(_REDSHIFT_PREFIXES) or name in _REDSHIFT_VIEWS):
        return "pg_catalog"
    if dialect == "oracle" and (name.startswith(("v$", "gv$")) or name in _ORACLE_VIEWS):
        return "SYS"
    return "sys" if dialect in TSQL and name in _OLD_VIEWS else None


def is_system_table(name: Name, dialect: str) -> bool:
    """Return whether a table is one of the database system, by its name as far as it is known."""
    parts = [part.lower() for part in name]
    before, table = parts[:-1], parts[-1]
    if _INFORMATION_SCHEMA in before:
        return True
    if dialect == "bigquery" and table.startswith((f"{_INFORMATION_SCHEMA}.", "__tables")):
        return True
    if before and before[-1] in _SCHEMAS.get(dialect, ()):
        return True
    if dialect in TSQL and before[-1:] == ["dbo"] and table in _OLD_VIEWS:
        return True
    if len(parts) > 2 and parts[0] == _DATABASES.get(dialect):
        return True
    return not before and system_schema(table, dialect) is not None
