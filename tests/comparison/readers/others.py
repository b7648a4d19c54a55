"""Read statements with other readers of SQL, in their own environment.

Input: JSON lines of ``{"id", "dialect", "sql"}``. Output: for each the tables by reader, as JSON
lines of ``{"id", READER: {"reads", "writes", "reported"}}``. ``reported``: whether the reader says
that it could not read the text.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import warnings
from typing import Any

from openlineage_sql import parse
from sql_metadata import Parser
from sqllineage.config import SQLLineageConfig
from sqllineage.runner import LineageRunner

_SQLLINEAGE = {"spark": "sparksql", "hive": "hive"}
_OPENLINEAGE = {"tsql": "mssql", "spark": "databricks", "duckdb": "generic"}
_KEYWORD = re.compile(
    r"\b(SELECT|INSERT|UPDATE|DELETE|MERGE|CREATE|INTO|FROM|JOIN|USING|TRUNCATE|ALTER|DROP)\b"
)
_OUTPUTS = ("INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "INTO", "TRUNCATE", "ALTER")


def read_by_sqllineage(sql: str, dialect: str) -> tuple[set[str], set[str], bool]:
    with SQLLineageConfig(TSQL_NO_SEMICOLON=True):
        runner = LineageRunner(sql, dialect=_SQLLINEAGE.get(dialect, dialect))
        return (
            {str(table).removeprefix("<default>.") for table in runner.source_tables},
            {str(table).removeprefix("<default>.") for table in runner.target_tables},
            False,
        )


def read_by_openlineage(sql: str, dialect: str) -> tuple[set[str], set[str], bool]:
    meta = parse([sql], dialect=_OPENLINEAGE.get(dialect, dialect))
    if meta is None:
        return set(), set(), True
    reads, writes = (
        {each.qualified_name for each in tables} for tables in (meta.in_tables, meta.out_tables)
    )
    return reads, writes, bool(meta.errors)


def read_by_keywords(sql: str, dialect: str) -> tuple[set[str], set[str], bool]:
    """Read with sql_metadata; the last keyword before a name decides between input and output."""
    reads: set[str] = set()
    writes: set[str] = set()
    text = re.sub(r"/\*.*?\*/|--[^\n]*", " ", sql, flags=re.DOTALL)
    for table in Parser(sql).tables:
        for match in re.finditer(re.escape(table.split(".")[-1]), text):
            words = _KEYWORD.findall(text[: match.start()].upper())
            if not words:
                continue
            deletes = words[-2:] == ["DELETE", "FROM"]
            (writes if words[-1] in _OUTPUTS or deletes else reads).add(table)
    return reads, writes, False


READERS = {
    "sqllineage": read_by_sqllineage,
    "openlineage-sql": read_by_openlineage,
    "sql_metadata": read_by_keywords,
}


def read_case(reader: Any, sql: str, dialect: str) -> dict[str, Any]:
    try:
        reads, writes, reported = reader(sql, dialect)
    except BaseException:
        return {"reads": [], "writes": [], "reported": True}
    return {"reads": sorted(reads), "writes": sorted(writes), "reported": reported}


def main() -> None:
    warnings.filterwarnings("ignore")
    logging.disable()
    for line in sys.stdin:
        case = json.loads(line)
        tables = {
            name: read_case(reader, case["sql"], case["dialect"])
            for name, reader in READERS.items()
        }
        sys.stdout.write(json.dumps({"id": case["id"], **tables}) + "\n")


if __name__ == "__main__":
    main()
