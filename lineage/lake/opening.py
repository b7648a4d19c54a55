"""Open a lake: a directory, or a table of a catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from lineage.eventlog.lake_files import TABLE_PREFIX
from lineage.lake.catalog_table import TableLake, open_table
from lineage.lake.directory import DirectoryLake

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Lake: TypeAlias = DirectoryLake | TableLake


def open_lake(spark: SparkSession, name: str) -> Lake:
    """Return the lake in a directory, below a URI, or in a table: ``table:CATALOG.DB.TABLE``."""
    if name.startswith(TABLE_PREFIX):
        return open_table(spark, name.removeprefix(TABLE_PREFIX))
    return DirectoryLake(spark, name)
