"""Writes the result of each column case, then tells what each result depends on.

``columns.py DIRECTORY [all]`` leaves ``spool`` and, in ``changes.json``, what changed in the
results when columns had other values: ``[case, [columns], [changed results], other rows?]``. With
``all`` that is each column alone. Without, it is each column that the case has in some results but
not in all, and together those it has in none: the others cannot show that the case misses any.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import spark_java_functions
from pyspark.sql import SparkSession
from spark_column_cases import NESTED, TABLES, Case
from spark_column_suite import CASES, COMMANDS
from spark_session import session
from spark_variations import as_sql, names, touches, variations

from lineage.spark import configure

if TYPE_CHECKING:
    from collections.abc import Iterator

# Of so few rows, what takes least time.
SETTINGS = {"spark.sql.shuffle.partitions": "1", "spark.sql.adaptive.enabled": "false"}


def write(directory: str) -> None:
    """Run the cases with the listener."""
    builder = SparkSession.builder.appName("Columns").master("local[1]")
    builder = builder.config("spark.jars", str(spark_java_functions.build(Path(directory))))
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
    """The values of each column, in no order."""
    rows = frame.collect()
    return {name: Counter(repr(row[at]) for row in rows) for at, name in enumerate(frame.columns)}


Change = tuple[str, list[str], list[str], bool]


def changes(directory: str, *, thorough: bool) -> Iterator[Change]:
    """Run the cases again and again, each time with other values in some columns."""
    builder = SparkSession.builder.appName("Again").master("local[1]")
    spark = session(builder.config("spark.extraListeners", ""), directory, SETTINGS)
    for table, (schema, rows) in TABLES.items():
        see(spark, table, as_sql(schema, rows))
    cases = [case for case in CASES if not case.unresolved]  # what is not claimed cannot be missed
    before = {case.name: result(case.frame(spark)) for case in cases}
    for table, (schema, rows) in TABLES.items():
        for column, varied in variations(names(schema), rows, NESTED):
            path = f"{table}.{column}"
            chosen = [case for case in cases if table in case.tables]
            if not thorough:
                chosen = [case for case in chosen if may_show(case, path)]
            see(spark, table, as_sql(schema, varied))
            for case in chosen:
                yield case.name, [path], *compared(before[case.name], result(case.frame(spark)))
        see(spark, table, as_sql(schema, rows))
    if not thorough:
        for case in cases:
            yield case.name, *_without(case, spark, before[case.name])
    spark.stop()


def see(spark: Any, table: str, query: str) -> None:
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW {table} AS {query}")


def may_show(case: Case, path: str) -> bool:
    """Is the column in some results, but not in all as one is that decides the rows?"""
    return touches(case.claimed, path) and not touches(case.deciding, path)


def _without(case: Case, spark: Any, before: Result) -> tuple[list[str], list[str], bool]:
    """Change all columns that the case claims in no result."""
    found: list[str] = []
    for table in case.tables:
        schema, rows = TABLES[table]
        varied = rows
        for column, _ in variations(names(schema), rows, NESTED):
            path = f"{table}.{column}"
            if not touches(case.claimed | case.deciding, path):
                found.append(path)
                again = variations(names(schema), varied, NESTED)
                varied = next(now for name, now in again if name == column)
        see(spark, table, as_sql(schema, varied))
    changed = compared(before, result(case.frame(spark)))
    for table in case.tables:
        see(spark, table, as_sql(*TABLES[table]))
    return found, *changed


def compared(before: Result, after: Result) -> tuple[list[str], bool]:
    columns = [name for name in before if before[name] != after[name]]
    rows = any(before[name].total() != after[name].total() for name in before)
    return columns, rows


def main(directory: str, *words: str) -> None:
    write(directory)
    found = list(changes(directory, thorough="all" in words))
    Path(directory, "changes.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
