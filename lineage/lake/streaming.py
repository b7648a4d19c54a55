"""Write the events of a stream into a lake and the graph, by Structured Streaming."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lineage.database.connection import connect_migrated
from lineage.lake import layout
from lineage.lake.adding import add_lines
from lineage.lake.compaction import merge_small_files
from lineage.lake.folding import fold_lake
from lineage.lake.opening import open_lake
from lineage.lake.spark_errors import translate_spark_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from lineage.lake.adding import Added


def read_topic(
    spark: SparkSession,
    servers: str,
    topic: str,
    events: int,
    properties: Mapping[str, str] | None = None,
) -> DataFrame:
    """Return the stream of the values of a Kafka topic, as bytes, from its first one on.

    ``events``: the number of a micro-batch at most; without it, the first one would have all
    events of the topic. ``properties``: further settings of Kafka's consumer. Raises LakeError if
    Spark lacks the package for Kafka, or rejects a setting.
    """
    settings = {**(properties or {}), "bootstrap.servers": servers}
    with translate_spark_errors("topic", topic):
        source = spark.readStream.format("kafka")
        source = source.options(**{f"kafka.{name}": value for name, value in settings.items()})
        stream = (
            source.option("subscribe", topic)
            .option("startingOffsets", "earliest")
            .option("maxOffsetsPerTrigger", events)
            .load()
        )
    return stream.select("value")


def read_properties(spark: SparkSession, file: Path) -> dict[str, str]:
    """Return the settings in a properties file of Java. Raises LakeError if it is not one."""
    java: Any = spark._jvm.java  # type: ignore[union-attr]
    with translate_spark_errors("file", str(file)):
        properties = java.util.Properties()
        utf_8 = java.nio.charset.StandardCharsets.UTF_8
        properties.load(java.io.FileReader(str(file), utf_8))
        return {name: properties.getProperty(name) for name in properties.stringPropertyNames()}


def stream_lines(
    dsn: str | None,
    lake: str,
    lines: DataFrame,
    checkpoint: str,
    report: Callable[[Added], None],
    *,
    is_endless: bool = True,
) -> None:
    """Write a stream of events into a lake and the graph, until the stream ends or fails.

    ``lines``: a streaming frame with the JSON of one event in each row. ``checkpoint``: the
    directory in which Spark stores the position. If a micro-batch is repeated, or the checkpoint is
    lost, the lake has its events already, and nothing changes. If not ``is_endless``, the stream
    ends when the events that are there now are written. ``report`` is called after each
    micro-batch. Raises LakeError.
    """
    writer = lines.writeStream.foreachBatch(partial(_write_batch, dsn, lake, report))
    writer = writer.option("checkpointLocation", layout.spark_path(checkpoint))
    if not is_endless:
        writer = writer.trigger(availableNow=True)
    with translate_spark_errors("stream into", lake):
        writer.start().awaitTermination()


def _write_batch(
    dsn: str | None, lake: str, report: Callable[[Added], None], batch: DataFrame, _: int
) -> None:
    opened = open_lake(batch.sparkSession, lake)
    added = add_lines(opened, batch)
    with connect_migrated(dsn) as conn:
        for folded in fold_lake(opened, conn, dsn, added.months):
            merge_small_files(conn, opened, folded.month)
    report(added)
