"""Statements as the shell spark-sql runs them, by its driver class: ``shell.py DIRECTORY``."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from support.spark.session import session

from lineage.spark import configure

STATEMENTS = {
    "ctas": "CREATE TABLE a USING parquet AS SELECT id, id AS v FROM range(3)",
    "insert": "INSERT INTO a SELECT id + 1, v FROM a",
    "directory": "INSERT OVERWRITE DIRECTORY '{d}/out' USING parquet SELECT * FROM a",
    "select": "SELECT count(*) FROM a",
    "failing": "CREATE TABLE b USING parquet AS SELECT raise_error('no') AS e FROM a",
    "after": "CREATE TABLE c USING parquet AS SELECT * FROM a",
}


def shell(spark: Any) -> Any:
    """Return the object that runs the statements of the shell in this session."""
    own = spark._jsparkSession
    driver = spark._jvm.org.apache.spark.sql.hive.thriftserver.SparkSQLDriver
    return driver(own.sqlContext() if spark.version.startswith("3.") else own)


def main(directory: str) -> None:
    builder = SparkSession.builder.appName("shell").master("local[2]")
    spark = session(configure(builder, spool=f"{directory}/spool"), directory)
    driver = shell(spark)
    for name, text in STATEMENTS.items():
        spark.sparkContext.setJobGroup(name, name)
        with contextlib.suppress(PySparkException):  # its failure is in the events
            driver.run(text.format(d=directory))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
