"""Writes the result of each column case, then determines the dependencies of each result.

``columns.py DIRECTORY [changes]`` writes ``spool``. With ``changes``, it also writes the results
that change with other values in a column to ``changes.json``: ``[case, column, [results], rows?]``.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from support.cases.column_suite import CASES, COMMANDS
from support.cases.columns import TABLES
from support.spark import java_functions
from support.spark.session import session
from support.spark.value_variations import as_sql, variations

from lineage.spark import configure

if TYPE_CHECKING:
    from collections.abc import Iterator

# the fastest settings for few rows
SETTINGS = {"spark.sql.shuffle.partitions": "1", "spark.sql.adaptive.enabled": "false"}


def write(directory: str) -> None:
    """Run the cases with the listener."""
    builder = SparkSession.builder.appName("Columns").master("local[1]")
    builder = builder.config("spark.jars", str(java_functions.build(Path(directory))))
    builder = configure(builder, spool=f"{directory}/spool", namespace="tests")
    spark = session(builder, directory, SETTINGS)
    for name, (schema, rows) in TABLES.items():
        spark.sql(f"CREATE TABLE {name} USING parquet AS {as_sql(schema, rows)}")
    for place, case in enumerate(CASES):
        spark.sparkContext.setJobGroup(case.name, case.name)
        case.write(spark, f"result_{place}")
    for case in COMMANDS:
        spark.sparkContext.setJobGroup(case.name, case.name)
        case.execute(spark)
    spark.stop()


Result = dict[str, Counter[str]]


def result(frame: Any) -> Result:
    """Return the values of each column as multisets."""
    rows = frame.collect()
    return {name: Counter(repr(row[at]) for row in rows) for at, name in enumerate(frame.columns)}


def changes(directory: str) -> Iterator[tuple[str, str, list[str], bool]]:
    """Run the cases repeatedly, each time with other values in one column."""
    builder = SparkSession.builder.appName("Again").master("local[1]")
    spark = session(builder.config("spark.extraListeners", ""), directory, SETTINGS)
    for table, (schema, rows) in TABLES.items():
        see(spark, table, as_sql(schema, rows))
    cases = [case for case in CASES if not case.unresolved]  # others are incomplete by design
    before = {case.name: result(case.frame(spark)) for case in cases}
    for table, (schema, rows) in TABLES.items():
        for column, varied in variations(schema, rows):
            see(spark, table, as_sql(schema, varied))
            for case in cases:
                if table in case.tables:
                    after = result(case.frame(spark))
                    yield case.name, f"{table}.{column}", *compared(before[case.name], after)
        see(spark, table, as_sql(schema, rows))
    spark.stop()


def see(spark: Any, table: str, query: str) -> None:
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW {table} AS {query}")


def compared(before: Result, after: Result) -> tuple[list[str], bool]:
    columns = [name for name in before if before[name] != after[name]]
    rows = any(before[name].total() != after[name].total() for name in before)
    return columns, rows


def main(directory: str, *words: str) -> None:
    write(directory)
    if "changes" in words:
        Path(directory, "changes.json").write_text(json.dumps(list(changes(directory))))


if __name__ == "__main__":
    main(*sys.argv[1:])
