"""All column cases that the installed Spark has the syntax and the API for."""

from __future__ import annotations

import spark_column_cases
import spark_function_cases
import spark_nested_cases
import spark_sql_cases
from spark_version import SPARK

QUERIES = [
    *spark_column_cases.CASES,
    *spark_function_cases.CASES,
    *spark_nested_cases.CASES,
    *spark_sql_cases.CASES,
]
WRITES = [*spark_column_cases.COMMANDS, *spark_sql_cases.COMMANDS]

CASES = [case for case in QUERIES if case.since <= SPARK]
COMMANDS = [case for case in WRITES if case.since <= SPARK]
