"""Runs the TPC-H queries as CTAS, and determines the dependencies of each result.

``tpch.py DIRECTORY [changes]`` writes ``spool``. With ``changes``, it also writes the results that
change with other values in a column to ``changes.json``: ``[query, column, [results], rows?]``.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from columns import SETTINGS, compared, result
from pyspark.sql import SparkSession
from support.cases.tpch import tables as tpch_tables
from support.cases.tpch.queries import QUERIES
from support.cases.tpch.tables import SCHEMAS
from support.spark.session import session
from support.spark.value_variations import variations

from lineage.spark import configure

if TYPE_CHECKING:
    from collections.abc import Iterator

CSV = "USING csv OPTIONS (sep '|')"


def write(directory: str) -> None:
    """Run the queries with the listener."""
    builder = SparkSession.builder.appName("TPC-H").master("local[1]")
    builder = configure(builder, spool=f"{directory}/spool", namespace="tests")
    spark = session(builder, directory, SETTINGS)
    for table, rows in tpch_tables.rows().items():
        tpch_tables.write(Path(directory, table), rows)
        spark.sql(f"CREATE TABLE {table} ({SCHEMAS[table]}) {CSV} LOCATION '{directory}/{table}'")
    for query in QUERIES:
        spark.sparkContext.setJobGroup("before", "before")
        for statement in query.before:
            spark.sql(statement)
        spark.sparkContext.setJobGroup(query.name, query.name)
        spark.sql(f"CREATE TABLE {query.name} USING parquet AS {query.text}")
    spark.stop()


def changes(directory: str) -> Iterator[tuple[str, str, list[str], bool]]:
    """Run the queries repeatedly, each time with other values in one column."""
    builder = SparkSession.builder.appName("Again").master("local[1]")
    spark = session(builder.config("spark.extraListeners", ""), directory, SETTINGS)
    tables = tpch_tables.rows()
    for table in tables:
        see(spark, directory, table, tables[table])
    for query in QUERIES:
        for statement in query.before:
            spark.sql(statement.replace("CREATE VIEW", "CREATE TEMPORARY VIEW"))
    before = {query.name: result(spark.sql(query.text)) for query in QUERIES}
    for table, rows in tables.items():
        for column, varied in variations(SCHEMAS[table], rows):
            see(spark, directory, table, varied)
            for query in QUERIES:
                if table in query.tables:
                    after = result(spark.sql(query.text))
                    yield query.name, f"{table}.{column}", *compared(before[query.name], after)
        see(spark, directory, table, rows)
    spark.stop()


def see(spark: Any, directory: str, table: str, rows: tpch_tables.Rows) -> None:
    """Create a view of these rows named ``table``. Temporary views have no CHAR and VARCHAR."""
    tpch_tables.write(Path(directory, "varied", table), rows)
    schema = re.sub(r"(VAR)?CHAR\(\d+\)", "STRING", SCHEMAS[table])
    spark.sql(
        f"CREATE OR REPLACE TEMPORARY VIEW {table} ({schema})"
        f" USING csv OPTIONS (sep '|', path '{directory}/varied/{table}')"
    )


def main(directory: str, *words: str) -> None:
    write(directory)
    if "changes" in words:
        Path(directory, "changes.json").write_text(json.dumps(list(changes(directory))))


if __name__ == "__main__":
    main(*sys.argv[1:])
