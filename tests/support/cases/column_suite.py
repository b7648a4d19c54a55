"""All column cases whose syntax and API the installed Spark supports."""

from __future__ import annotations

from support.cases import columns, functions, nested_columns, sql
from support.spark.version import SPARK

QUERIES = [
    *columns.CASES,
    *functions.CASES,
    *nested_columns.CASES,
    *sql.CASES,
]
WRITES = [*columns.COMMANDS, *sql.COMMANDS]

CASES = [case for case in QUERIES if case.since <= SPARK]
COMMANDS = [case for case in WRITES if case.since <= SPARK]
