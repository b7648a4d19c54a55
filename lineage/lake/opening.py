"""Open a lake: a directory, or a table of a catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from lineage.eventlog.lake_files import TABLE_PREFIX
from lineage.lake.catalog_table import TableLake
from lineage.lake.directory import DirectoryLake

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession


class Lake(Protocol):
    """A lake, read and written by Spark.

    ``name``: as commands have it. ``table``: the name of the table, None for a directory.
    """

    @property
    def spark(self) -> SparkSession: ...

    @property
    def name(self) -> str: ...

    @property
    def table(self) -> str | None: ...

    @property
    def location(self) -> str: ...

    def list_months(self) -> list[str]: ...

    def read_months(self, months: Sequence[str]) -> DataFrame | None: ...

    def list_files(self, month: str) -> list[str]: ...

    def append_events(self, events: DataFrame) -> None: ...


def open_lake(spark: SparkSession, name: str) -> Lake:
    """Return the lake in a directory, below a URI, or in a table: ``table:CATALOG.DB.TABLE``."""
    if name.startswith(TABLE_PREFIX):
        return TableLake(spark, name.removeprefix(TABLE_PREFIX))
    return DirectoryLake(spark, name)
