"""Columns and locations of lakes that Spark reads and writes."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lineage.eventlog.lake_files import absolute_location

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow
    from pyspark.sql import Column, DataFrame, SparkSession

# The columns of docs/reference/event-lake.md.
COLUMNS = (
    "sha256 binary, event_time string, run_id string, body binary, document binary,"
    " not_projected string"
)
# Events of a file at most, about; bodies of one job compress together.
EVENTS_PER_FILE = 1_000_000
# In place of a month: lines that are no events, with the text and the reason.
REJECTED = "rejected"


def digest_of(body: bytes) -> bytes:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(body).digest()


def arrow_schema(**further: pyarrow.DataType) -> pyarrow.Schema:
    """Return the schema of the columns of a lake, and of further ones."""
    import pyarrow

    types = {"binary": pyarrow.binary(), "string": pyarrow.string()}
    columns = [column.split() for column in COLUMNS.split(", ")]
    return pyarrow.schema([(name, types[kind]) for name, kind in columns] + [*further.items()])


def spark_path(location: str) -> str:
    """Return the path or URI by which Spark reads a location; S3 is s3a there."""
    if location.startswith("s3://"):
        return f"s3a{location[2:]}"
    return absolute_location(location)


def exact_pattern(path: str) -> str:
    """Return the pattern that only this path matches, because Spark reads paths as patterns."""
    return re.sub(r"[\\\[\]{}*?]", r"\\\g<0>", path)


def read_parquet(
    spark: SparkSession, paths: Iterable[str], columns: str = COLUMNS, **options: str
) -> DataFrame:
    """Return the rows of files and directories by their paths, which are no patterns."""
    reader = spark.read.schema(columns).options(**options)
    return reader.parquet(*map(exact_pattern, paths))


def open_path(spark: SparkSession, path: str) -> tuple[Any, Any]:
    """Return a path and its file system, as Hadoop has them."""
    hadoop = spark._jvm.org.apache.hadoop.fs.Path(path)  # type: ignore[union-attr]
    return hadoop, hadoop.getFileSystem(spark._jsc.hadoopConfiguration())


def has_path(spark: SparkSession, path: str) -> bool:
    """Return whether there is a file or directory."""
    hadoop, system = open_path(spark, path)
    return bool(system.exists(hadoop))


def stored_location(path: str) -> str:
    """Return the location of a file that Spark names, as ``archived_file`` has it."""
    if path.startswith("file:"):
        return f"/{path.removeprefix('file:').lstrip('/')}"
    return f"s3{path[3:]}" if path.startswith("s3a://") else path


def read_locations(frame: DataFrame) -> list[str]:
    """Return the locations of the files that a frame reads, as ``archived_file`` has them."""
    return [stored_location(unquote(path)) for path in frame.inputFiles()]


def key_of_run() -> Column:
    """Return the key that divides events into files: the run or, without one, the digest."""
    from pyspark.sql import functions as F

    return F.coalesce(F.col("run_id").cast("binary"), F.col("sha256"))
