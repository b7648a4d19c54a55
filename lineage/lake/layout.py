"""Columns, locations and errors of lakes that Spark reads and writes."""

from __future__ import annotations

import hashlib
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lineage.errors import DatabaseError, LakeError
from lineage.eventlog.lake_files import absolute_location
from lineage.failures import first_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow
    from py4j.protocol import Py4JJavaError
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
# An error of this package in a task, as the driver reports it.
_OWN_ERROR = re.compile(r"lineage\.errors\.(\w+): (.+?)( \(\S+\.py:\d+, in \S+\))?$")


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


def open_path(spark: SparkSession, path: str) -> tuple[Any, Any]:
    """Return a path and its file system, as Hadoop has them."""
    hadoop = spark._jvm.org.apache.hadoop.fs.Path(path)  # type: ignore[union-attr]
    return hadoop, hadoop.getFileSystem(spark._jsc.hadoopConfiguration())


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


@contextmanager
def reported_as(what: str, location: str) -> Iterator[None]:
    """Raise errors of Spark as LakeError, and those of tasks at the database as DatabaseError."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JJavaError) as exc:
        reason = _java_reason(exc) if isinstance(exc, Py4JJavaError) else first_line(str(exc))
        if own := _OWN_ERROR.match(reason):
            kind = LakeError if own[1] == LakeError.__name__ else DatabaseError
            raise kind(f"A task of Spark failed: {own[2]}") from exc
        raise LakeError(
            f"The {what} {location} cannot be read or written: {reason.rstrip('.')}.",
            _hint_for(reason),
        ) from exc


def _java_reason(error: Py4JJavaError) -> str:
    """Return the message of an exception of Java and that of its first cause."""
    exception = cause = error.java_exception
    while (before := cause.getCause()) is not None:
        cause = before
    reason, first = (first_line(each.getMessage()) for each in (exception, cause))
    return reason if first in reason else f"{reason.rstrip('.')}: {first}"


def _hint_for(reason: str) -> str:
    package = _missing_package(reason)
    if package is None:
        return "Check the paths and the credentials, and run the command again."
    return (
        f'Give Spark the package: export PYSPARK_SUBMIT_ARGS="--packages {package} pyspark-shell"'
    )


def _missing_package(reason: str) -> str | None:
    """Return the package that Spark lacks, in its version; None if that is not the reason."""
    from pyspark.sql import SparkSession

    spark: Any = SparkSession.getActiveSession()
    if "S3AFileSystem not found" in reason:
        version = spark._jvm.org.apache.hadoop.util.VersionInfo.getVersion()
        return f"org.apache.hadoop:hadoop-aws:{version}"
    if "Failed to find data source: kafka" in reason:
        scala = spark._jvm.scala.util.Properties.versionNumberString().rpartition(".")[0]
        return f"org.apache.spark:spark-sql-kafka-0-10_{scala}:{spark.version}"
    return None
