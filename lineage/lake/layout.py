"""Reading and writing the directories of a lake by Spark."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lineage.errors import LakeError
from lineage.eventlog.lake_files import absolute_location
from lineage.failures import first_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

# The columns of docs/reference/event-lake.md.
COLUMNS = (
    "sha256 binary, event_time string, run_id string, body binary, document binary,"
    " not_projected string"
)


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


def stored_location(path: str) -> str:
    """Return the location of a file that Spark names, as ``archived_file`` has it."""
    if path.startswith("file:"):
        return f"/{path.removeprefix('file:').lstrip('/')}"
    return f"s3{path[3:]}" if path.startswith("s3a://") else path


def read_lake(spark: SparkSession, lake: str, months: Sequence[str]) -> DataFrame | None:
    """Return the events of some months of a lake, or None if it has none of them."""
    root = spark_path(lake)
    paths = [f"{root}/month={month}" for month in months]
    present = [path for path in paths if _is_present(spark, path)]
    if not present:
        return None
    return spark.read.schema(COLUMNS).option("basePath", root).parquet(*present)


def list_months(spark: SparkSession, lake: str) -> list[str]:
    """Return the months that a lake has, oldest first."""
    root = _hadoop_path(spark, spark_path(lake))
    system = root.getFileSystem(spark._jsc.hadoopConfiguration())
    if not system.exists(root):
        raise LakeError(f"There is no lake {lake}.", "Give the directory of lineage lake add.")
    names = [status.getPath().getName() for status in system.listStatus(root)]
    months = {name.removeprefix("month=") for name in names if name.startswith("month=")}
    return sorted(months - {"rejected"})


@contextmanager
def reported_as(what: str, location: str) -> Iterator[None]:
    """Raise errors of Spark about files as LakeError."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JJavaError) as exc:
        reason = first_line(str(exc))
        raise LakeError(
            f"The {what} {location} cannot be read or written: {reason}",
            "Check the paths and the credentials, and run the command again.",
        ) from exc


def _hadoop_path(spark: SparkSession, path: str) -> Any:
    return spark._jvm.org.apache.hadoop.fs.Path(path)  # type: ignore[union-attr]


def _is_present(spark: SparkSession, path: str) -> bool:
    hadoop = _hadoop_path(spark, path)
    return bool(hadoop.getFileSystem(spark._jsc.hadoopConfiguration()).exists(hadoop))
