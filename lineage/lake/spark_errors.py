"""Errors of Spark as errors of this package, each with a remedy."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lineage.errors import DatabaseError, LakeError
from lineage.failures import first_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from py4j.protocol import Py4JJavaError

# An error of this package in a task, as the driver reports it.
_OWN_ERROR = re.compile(r"lineage\.errors\.(\w+): (.+?)( \(\S+\.py:\d+, in \S+\))?$")
# Text of Spark before and after the reason.
_AROUND_REASON = re.compile(
    r"^\[STREAM_FAILED\] .*? terminated with exception: | SQLSTATE: \w{5}\.?$"
)
# Parts of reasons, and remedies.
_HINTS = {
    "data may have been lost": "Kafka deleted records before they were read. Delete the checkpoint"
    " and run the command again: it reads the topic from the first record that is there, and adds"
    " no event twice.",
    "does not host this topic-partition": "Check the name of the topic, or create it.",
    "Timed out waiting for a node assignment": "Check the servers and the consumer's settings.",
}


@contextmanager
def translate_spark_errors(what: str, location: str) -> Iterator[None]:
    """Raise errors of Spark as LakeError, and those of tasks at the database as DatabaseError."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JJavaError) as exc:
        reason = _java_reason(exc) if isinstance(exc, Py4JJavaError) else first_line(str(exc))
        reason = _AROUND_REASON.sub("", reason)
        if own := _OWN_ERROR.match(reason):
            kind = LakeError if own[1] == LakeError.__name__ else DatabaseError
            raise kind(f"A task of Spark failed: {own[2]}") from exc
        raise LakeError(
            f"The {what} {location} cannot be read or written: {reason.rstrip('.;')}.",
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
        known = (hint for part, hint in _HINTS.items() if part in reason)
        return next(known, "Check the paths and the credentials, and run the command again.")
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
