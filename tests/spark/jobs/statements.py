"""Runs the Spark SQL cases of tests/unit/sql/statements/manuals: ``statements.py DIRECTORY``."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession
from support.cases.spark_statements import CASES, PARAMETERS, TABLES
from support.spark.session import session

from lineage.spark import configure

if TYPE_CHECKING:
    from support.cases.statements import Case


def statements_of(case: Case) -> list[str]:
    """Split a case at the ends of its lines; a compound statement is one."""
    if case.sql.startswith("BEGIN"):
        return [case.sql]
    return [part for part in re.split(r";$", case.sql, flags=re.MULTILINE) if part.strip()]


def main(directory: str) -> None:
    builder = SparkSession.builder.appName("Statements").master("local[1]")
    builder = configure(builder, spool=f"{directory}/spool", namespace="tests")
    spark = session(builder, directory, {"spark.sql.sources.partitionOverwriteMode": "static"})
    spark.sql("CREATE DATABASE raw")
    spark.sql("CREATE DATABASE mart")
    for table, columns in TABLES.items():
        partitions = "PARTITIONED BY (day)" if "day" in columns else ""
        spark.sql(f"CREATE TABLE {table} ({columns}) USING parquet {partitions}")
    for case in CASES:
        spark.sparkContext.setJobGroup(case.identifier, case.identifier)
        for statement in statements_of(case):
            spark.sql(statement, PARAMETERS.get(case.identifier)).collect()
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
