"""A lake that is a table of a catalog: of Apache Iceberg, Delta Lake, or plain Parquet files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lineage.errors import LakeError
from lineage.eventlog.lake_files import TABLE_PREFIX
from lineage.lake import layout
from lineage.lake.spark_errors import translate_spark_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

_COLUMNS = f"{layout.COLUMNS}, month string"


@dataclass(frozen=True)
class TableLake:
    """A lake in a table of Parquet files, partitioned by month, in a catalog of the session."""

    spark: SparkSession
    name: str
    table: str

    def find_location(self) -> str:
        """Return the directory or URI of the table, by which its dataset is named."""
        return self._read_property("Location")

    def list_months(self) -> list[str]:
        """Return the months of the table, oldest first."""
        months = {
            row.month for row in self.spark.table(self.table).select("month").distinct().collect()
        }
        return sorted(months - {layout.REJECTED})

    def read_months(self, months: Sequence[str]) -> DataFrame | None:
        """Return the events of some months."""
        events = self.spark.table(self.table)
        return events.where(events.month.isin([*months]))

    def list_files(self, month: str) -> list[str]:
        """Return the locations of the files of a month.

        Raises LakeError if they contain rows that were deleted from the table.
        """
        from pyspark.sql import functions as F

        rows = self.spark.table(self.table).where(F.col("month") == month)
        counts = rows.groupBy(F.input_file_name().alias("path")).count().collect()
        # Iceberg names files as they are, and Spark by URIs.
        is_encoded = self._read_property("Provider") != "iceberg"
        paths = [unquote(row.path) if is_encoded else row.path for row in counts]
        locations = [*map(layout.stored_location, paths)]
        visible = sum(row["count"] for row in counts)
        if locations and self._count_rows(locations) != visible:
            raise LakeError(
                f"Rows of {month} were deleted from the table {self.table}, and its files still"
                " contain them.",
                "Restore the rows. If their events are not in the graph, it suffices to rewrite the"
                " data files of the table.",
            )
        return locations

    def _read_property(self, key: str) -> str:
        described = self.spark.sql(f"DESCRIBE TABLE EXTENDED {self.table}")
        [row] = described.where(f"col_name = '{key}'").select("data_type").collect()
        return str(row.data_type)

    def _count_rows(self, locations: Sequence[str]) -> int:
        """Return the number of rows of files, with those that were deleted from the table."""
        paths = map(layout.spark_path, locations)  # the catalog may name files s3://
        return layout.read_parquet(self.spark, paths, columns="sha256 binary").count()

    def append_events(self, events: DataFrame) -> None:
        """Append events, which have the column ``month`` and are sorted by it in each task."""
        writer = events.select(*self.spark.table(self.table).columns).write
        # Iceberg would distribute the events again, each month to one task.
        writer.option("distribution-mode", "none").insertInto(self.table)


def open_table(spark: SparkSession, table: str) -> TableLake:
    """Return the lake in a table.

    Raises LakeError if no catalog has the table, if its columns are not those of a lake, or if it
    is not partitioned by month.
    """
    hint = (
        f"Create it, for example: CREATE TABLE {table} ({_COLUMNS})"
        " USING iceberg PARTITIONED BY (month)"
    )
    with translate_spark_errors("table", table):
        if not spark.catalog.tableExists(table):
            raise LakeError(f"There is no table {table} in the catalogs of Spark.", hint)
        schema = spark.table(table).schema
    present = {f"{field.name} {field.dataType.simpleString()}" for field in schema}
    expected = {*_COLUMNS.split(", ")}
    if missing := sorted(expected - present):
        raise LakeError(f"The table {table} lacks the columns {', '.join(missing)}.", hint)
    if others := sorted(present - expected):
        raise LakeError(f"The table {table} has further columns: {', '.join(others)}.", hint)
    if "month" not in _read_partitioning(spark, table):
        raise LakeError(f"The table {table} is not partitioned by month.", hint)
    return TableLake(spark, f"{TABLE_PREFIX}{table}", table)


def _read_partitioning(spark: SparkSession, table: str) -> set[str]:
    """Return the columns and transforms by which a table is partitioned.

    Spark lists columns by name in ``col_name``, and, if there are transforms, all in ``data_type``.
    """
    rows = spark.sql(f"DESCRIBE TABLE {table}").collect()
    headings = (index for index, row in enumerate(rows) if row.col_name.startswith("# Partition"))
    first = next(headings, len(rows))
    return {text for row in rows[first:] for text in (row.col_name, row.data_type)}
