"""Add files of events to a lake, each event once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.errors import InvalidEvent
from lineage.events.entry import read_entry
from lineage.lake import layout
from lineage.openlineage import RunEvent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

# The directory of lines that are no events: the text and the reason.
REJECTED = "rejected"
_READ_COLUMNS = f"{layout.COLUMNS}, month string, rejected string"


@dataclass(frozen=True, slots=True)
class Added:
    """Numbers of lines read, of events that the lake did not have, and of rejected lines."""

    lines: int
    new: int
    rejected: int


def add_files(spark: SparkSession, lake: str, sources: Sequence[str]) -> Added:
    """Add events from files of JSON lines, plain or compressed, to a lake.

    ``sources``: paths, directories and patterns that Spark reads. A line that is no event is
    written to ``month=rejected`` with the reason. An event that the lake has is not added again, so
    that the same files may be added twice. Raises LakeError if a source or the lake cannot be read
    or written.
    """
    from pyspark.sql import functions as F

    with layout.reported_as("lake", lake):
        lines = spark.read.text(list(map(layout.spark_path, sources)))
        read = lines.mapInArrow(_read_lines, _READ_COLUMNS).persist()
        try:
            rejected = read.where(F.col("rejected").isNotNull()).dropDuplicates(["sha256"])
            events = read.where(F.col("rejected").isNull()).dropDuplicates(["event_time", "sha256"])
            new = _without_known(spark, lake, events).persist()
            counts = Added(read.count(), new.count(), rejected.count())
            _append_events(new.drop("rejected"), lake)
            _append_events(
                rejected.withColumn("not_projected", F.col("rejected")).drop("rejected"), lake
            )
        finally:
            read.unpersist()
    return counts


def _without_known(spark: SparkSession, lake: str, events: DataFrame) -> DataFrame:
    """Return the events that the lake does not have; only their months are read."""
    months = [row.month for row in events.select("month").distinct().collect()]
    known = layout.read_lake(spark, lake, months)
    if known is None:
        return events
    return events.join(known.select("event_time", "sha256"), ["event_time", "sha256"], "left_anti")


def _append_events(events: DataFrame, lake: str) -> None:
    """Append events to the directories of their months, sorted by time."""
    (
        events.repartition("month")
        .sortWithinPartitions("month", "event_time", "sha256")
        .write.mode("append")
        .option("compression", "zstd")
        .partitionBy("month")
        .parquet(layout.spark_path(lake))
    )


def _read_lines(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Read the events of lines; a line that is none has ``rejected``."""
    import pyarrow

    schema = layout.arrow_schema(month=pyarrow.string(), rejected=pyarrow.string())
    for batch in batches:
        rows = [_read_line(line) for line in batch.column(0).to_pylist() if line.strip()]
        yield pyarrow.RecordBatch.from_pylist(rows, schema=schema)


def _read_line(line: str) -> dict[str, Any]:
    try:
        entry = read_entry(line)
    except InvalidEvent as error:
        digest = layout.digest_of(line.encode())
        return {
            "sha256": digest, "event_time": "", "body": line.encode(), "month": REJECTED,
            "rejected": error.message,
        }  # fmt: skip
    event = entry.event
    return {
        "sha256": entry.sha256,
        "event_time": event.time,
        "run_id": event.run_id if isinstance(event, RunEvent) else None,
        "body": entry.body,
        "month": event.time[:7],
    }
