"""The rewriter of plans in the listener's jar, from the JVM of a Spark session.

The jar is loaded by a class loader of its own, so that a session needs no setting. Executors do not
need it: rewritten plans consist of Spark's own operators.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from lineage.errors import UsageError
from lineage.spark.launcher import jar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame, SparkSession

_ENTRY_POINT = "io.lineage.spark.records.Records"

_loaded: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def plan_of(frame: DataFrame) -> Any:
    """Return the ``RecordPlan`` of a frame, an object of the JVM.

    Raises ``UsageError`` for a frame without a plan in this process, and for a stream.
    """
    _check_frame(frame)
    return records_of(frame.sparkSession).plan(frame._jdf)


def inputs_of(frame: DataFrame, manifests: str) -> Any:
    """Return the ``Inputs`` of a frame, compared with manifests of a run in JSON; see plan_of."""
    _check_frame(frame)
    return records_of(frame.sparkSession).inputs(frame._jdf, manifests)


def _check_frame(frame: DataFrame) -> None:
    if not hasattr(frame, "_jdf"):
        raise UsageError(
            "The frame belongs to Spark Connect, whose plans are on the server.",
            "Trace it in a session without spark.remote.",
        )
    if frame.isStreaming:
        raise UsageError(
            "The frame is a stream, whose rows cannot be read again.",
            "Trace the frames that foreachBatch receives.",
        )


def records_of(spark: SparkSession) -> Any:
    """Return the entry point of the jar in the JVM of a session."""
    gateway = spark.sparkContext._gateway
    if gateway not in _loaded:
        _loaded[gateway] = _load_entry_point(gateway, str(jar.jar_path(spark.version)))
    return _loaded[gateway]


def add_jar(spark: SparkSession) -> None:
    """Let executors load the classes of the jar. Spark sends a jar once."""
    context: Any = spark.sparkContext
    path = str(jar.jar_path(spark.version))
    listed = context._jsc.sc().listJars()
    jars = [listed.apply(number) for number in range(listed.size())]
    if not any(each.endswith(f"/{path.rpartition('/')[2]}") for each in jars):
        context._jsc.sc().addJar(path)


def _load_entry_point(gateway: Any, path: str) -> Any:
    java = gateway.jvm.java
    urls = gateway.new_array(java.net.URL, 1)
    urls[0] = java.io.File(path).toURI().toURL()
    parent = java.lang.Thread.currentThread().getContextClassLoader()
    entry = java.net.URLClassLoader(urls, parent).loadClass(_ENTRY_POINT)
    constructor = entry.getDeclaredConstructor(gateway.new_array(java.lang.Class, 0))
    return constructor.newInstance(gateway.new_array(java.lang.Object, 0))


def frame_of(spark: SparkSession, java_frame: Any) -> DataFrame:
    """Return the frame of Python for one of the JVM."""
    from pyspark.sql import DataFrame

    return DataFrame(java_frame, spark)


def unite_frames(frames: Iterable[DataFrame]) -> DataFrame:
    """Return the rows of all frames, with null in columns that a frame does not have."""
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)
