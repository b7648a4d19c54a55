"""Write the events of a stream into a lake and the graph, by Structured Streaming."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lineage.database.connection import connect
from lineage.lake import layout
from lineage.lake.adding import add_lines
from lineage.lake.folding import fold_lake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read_topic(spark: SparkSession, servers: str, topic: str, events: int) -> DataFrame:
    """Return the stream of the values of a Kafka topic from its first one on.

    ``events``: the number of a micro-batch at most; without it, the first one would have all
    events of the topic. Raises LakeError if Spark lacks the package for
    Kafka.
    """
    with layout.reported_as("topic", topic):
        source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
        stream = (
            source.option("subscribe", topic)
            .option("startingOffsets", "earliest")
            .option("maxOffsetsPerTrigger", events)
            .load()
        )
    return stream.selectExpr("CAST(value AS string) AS value")


def stream_lines(
    dsn: str | None, lake: str, lines: DataFrame, checkpoint: str, *, is_endless: bool = True
) -> None:
    """Write a stream of events into a lake and the graph, until the stream ends or fails.

    ``lines``: a streaming frame with the JSON of one event in each row. ``checkpoint``: the
    directory in which Spark stores the position. If a micro-batch is repeated, or the checkpoint is
    lost, the lake has its events already, and nothing changes. If not ``is_endless``, the stream
    ends when the events that are there now are written. Raises LakeError.
    """
    writer = lines.writeStream.foreachBatch(partial(_write_batch, dsn, lake))
    writer = writer.option("checkpointLocation", layout.spark_path(checkpoint))
    if not is_endless:
        writer = writer.trigger(availableNow=True)
    with layout.reported_as("stream into", lake):
        writer.start().awaitTermination()


def _write_batch(dsn: str | None, lake: str, batch: DataFrame, _: int) -> None:
    spark = batch.sparkSession
    added = add_lines(spark, lake, batch)
    with connect(dsn, autocommit=True) as conn:
        for _folded in fold_lake(spark, conn, dsn, lake, added.months):
            pass
