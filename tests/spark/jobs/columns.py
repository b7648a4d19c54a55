"""Writes the result of each column case, then tells what each result depends on.

``columns.py DIRECTORY`` leaves ``spool`` and, in ``changes.json``, what changed in the results when
one column of one table had other values: ``[case, column, [changed columns], other rows?]``.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from spark_column_cases import CASES, NESTED, TABLES, Case
from spark_variations import as_sql, names, variations

from lineage.spark import configure

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def session(directory: str, builder: Any) -> Any:
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    return builder.config("spark.sql.warehouse.dir", f"{directory}/wh").getOrCreate()


def write(directory: str) -> None:
    """Run the cases with the listener."""
    builder = SparkSession.builder.appName("Columns").master("local[1]")
    spark = session(directory, configure(builder, spool=f"{directory}/spool", namespace="tests"))
    for name, (schema, rows) in TABLES.items():
        spark.sql(f"CREATE TABLE {name} USING parquet AS {as_sql(schema, rows)}")
    for place, case in enumerate(CASES):
        spark.sparkContext.setJobGroup(case.name, case.name)
        case.write(spark, f"result_{place}")
    spark.stop()


Result = dict[str, Counter[str]]


def result(case: Case, spark: Any) -> Result:
    """The values of each column, in no order."""
    frame = case.frame(spark)
    rows = frame.collect()
    return {name: Counter(repr(row[at]) for row in rows) for at, name in enumerate(frame.columns)}


def changes(directory: str) -> Iterator[tuple[str, str, list[str], bool]]:
    """Run the cases again and again, each time with other values in one column."""
    builder = SparkSession.builder.appName("Again").master("local[1]")
    spark = session(directory, builder.config("spark.extraListeners", ""))
    for name, (schema, rows) in TABLES.items():
        spark.sql(f"CREATE TEMPORARY VIEW {name} AS {as_sql(schema, rows)}")
    before = {case.name: result(case, spark) for case in CASES}
    for table, (schema, rows) in TABLES.items():
        for column, varied in variations(names(schema), rows, NESTED):
            spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW {table} AS {as_sql(schema, varied)}")
            for case in (case for case in CASES if table in case.tables):
                yield (
                    case.name,
                    f"{table}.{column}",
                    *_compared(before[case.name], result(case, spark)),
                )
        spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW {table} AS {as_sql(schema, rows)}")
    spark.stop()


def _compared(before: Result, after: Result) -> tuple[list[str], bool]:
    columns = [name for name in before if before[name] != after[name]]
    rows = any(before[name].total() != after[name].total() for name in before)
    return columns, rows


def main(directory: str) -> None:
    write(directory)
    Path(directory, "changes.json").write_text(json.dumps(list(changes(directory))))


if __name__ == "__main__":
    main(sys.argv[1])
