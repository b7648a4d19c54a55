"""Copies a table with versions, appends to it, and records what a trace would compare.

``versions.py DIRECTORY MODULE TABLE``: the inputs of the copy when the table was as the copy read
it, after the append, and of the query that names the version.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession
from support.spark.session import session

from lineage.records import gateway
from lineage.records.manifests import manifests_of_document
from lineage.spark import configure

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def version_of(frame: DataFrame) -> str | None:
    [table] = manifests_of_document(gateway.inputs_of(frame, "{}").document())
    assert not table.scans
    return table.version


def main(directory: str, module: str, table: str) -> None:
    lake = importlib.import_module(module)
    builder = SparkSession.builder.appName("versions").master("local[2]")
    builder = configure(builder, spool=f"{directory}/spool", namespace="tests")
    spark = session(builder, directory, lake.CONNECTOR.settings | lake.settings(directory))
    spark.sql(f"CREATE TABLE {table} (id INT) USING {module.rpartition('.')[2]}")
    spark.sql(f"INSERT INTO {table} VALUES (1), (2)")
    copied = spark.table(table).where("id > 1")
    copied.write.parquet(f"{directory}/copy")
    before = version_of(spark.table(table).where("id > 1"))
    spark.sql(f"INSERT INTO {table} VALUES (3)")
    after = version_of(spark.table(table).where("id > 1"))
    named = version_of(spark.sql(f"SELECT * FROM {table} VERSION AS OF {before} WHERE id > 1"))
    Path(directory, "versions.json").write_text(json.dumps([before, after, named]))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
