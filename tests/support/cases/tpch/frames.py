"""The queries of TPC-H as frames over parquet files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from support.cases.tpch import tables

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame

    from support.cases.tpch.queries import Query


def write_tables(spark: Any, directory: Path) -> None:
    """Write each table as one file. Files of parquet have no CHAR and VARCHAR."""
    for name, rows in tables.rows().items():
        schema = re.sub(r"(VAR)?CHAR\(\d+\)", "STRING", tables.SCHEMAS[name])
        spark.createDataFrame(rows, schema).coalesce(1).write.parquet(str(directory / name))


def create_views(spark: Any, directory: Path) -> None:
    for name in tables.SCHEMAS:
        spark.read.parquet(str(directory / name)).createOrReplaceTempView(name)


def frame_of(query: Query, spark: Any) -> DataFrame:
    """Return the frame of a query on the views."""
    for statement in query.before:
        spark.sql(statement.replace("CREATE VIEW", "CREATE OR REPLACE TEMPORARY VIEW"))
    return spark.sql(query.text)
