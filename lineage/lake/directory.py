"""A lake that is a directory, with one directory of Parquet files for each month."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.errors import LakeError
from lineage.lake import layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class DirectoryLake:
    """A lake in a directory or below a URI, read and written by Spark."""

    spark: SparkSession
    name: str
    table: None = None

    def find_location(self) -> str:
        """Return the path or URI of the lake, as Spark has it."""
        return layout.spark_path(self.name)

    def list_months(self) -> list[str]:
        """Return the months of the lake, oldest first. Raises LakeError if there is no lake."""
        root, system = layout.open_path(self.spark, self.find_location())
        if not system.exists(root):
            raise LakeError(f"There is no lake {self.name}.", "Run lineage lake add first.")
        if not system.getFileStatus(root).isDirectory():
            raise LakeError(f"{self.name} is a file.", "Give the directory of a lake.")
        names = [status.getPath().getName() for status in system.listStatus(root)]
        months = {name.removeprefix("month=") for name in names if name.startswith("month=")}
        return sorted(months - {layout.REJECTED})

    def read_months(self, months: Sequence[str]) -> DataFrame | None:
        """Return the events of some months, or None if the lake has none of them."""
        root = self.find_location()
        paths = [f"{root}/month={month}" for month in months]
        present = [path for path in paths if layout.has_path(self.spark, path)]
        if not present:
            return None
        return layout.read_parquet(self.spark, present, basePath=root)

    def list_files(self, month: str) -> list[str]:
        """Return the locations of the files of a month."""
        events = self.read_months([month])
        return [] if events is None else layout.read_locations(events)

    def append_events(self, events: DataFrame) -> None:
        """Append events, which have the column ``month``, and are sorted by it in each task."""
        writer = events.write.mode("append").option("compression", "zstd")
        writer.partitionBy("month").parquet(self.find_location())
