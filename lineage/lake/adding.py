"""Add files of events to a lake, each event once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.errors import InvalidEvent
from lineage.events.entry import read_entry
from lineage.lake import layout
from lineage.lake.sources import read_lines
from lineage.lake.spark_errors import translate_spark_errors
from lineage.openlineage import RunEvent
from lineage.redaction import redact_text
from lineage.spark.document.parser import is_plan_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow
    from pyspark.sql import DataFrame

    from lineage.lake.opening import Lake

# The key of an event, as in the log.
_KEY = ["event_time", "sha256"]
_READ_COLUMNS = f"{layout.COLUMNS}, month string"
_OF_A_SPOOL = "a plan document, which is no event; write spools by `lineage ingest`"
# The number of reported reasons for which lines are rejected, and of characters of a line.
_REASONS = 3
_BEGINNING = 60
# The bytes of a line in which secrets are replaced. The end of a secret must be among them.
_EXAMINED = 10_000


class Rejection(NamedTuple):
    """A reason for which lines were rejected, their number, and the beginning of one of them."""

    reason: str
    lines: int
    beginning: str


@dataclass(frozen=True, slots=True)
class Added:
    """Numbers of lines read, of events that the lake did not have, and of rejected lines.

    ``months``: the months of all events read. ``rejections``: the most frequent reasons for which
    lines were rejected.
    """

    lines: int
    new: int
    rejected: int
    months: tuple[str, ...]
    rejections: tuple[Rejection, ...] = field(default=(), compare=False)


def add_files(lake: Lake, sources: Sequence[str]) -> Added:
    """Add events from files of JSON lines, plain or compressed, to a lake.

    ``sources``: paths, directories and patterns that Spark reads; files that end in .gz, .bz2 or
    .zst are compressed. Raises LakeError if a source or the lake cannot be read or written.
    """
    with translate_spark_errors("lake", lake.name):
        return add_lines(lake, read_lines(lake.spark, sources))


def add_lines(lake: Lake, lines: DataFrame) -> Added:
    """Add events to a lake; the first column of ``lines`` has the JSON of one event in each row.

    A line that is no event is written to ``month=rejected`` with the reason. Nulls, the values of
    Kafka's tombstones, are skipped. An event that the lake has is not added again, so that the same
    lines may be added twice.
    """
    from pyspark.sql import functions as F

    # As bytes, because a text that is not UTF-8 would fail the task.
    bodies = lines.select(F.col(lines.columns[0]).cast("binary"))
    read = bodies.mapInArrow(_read_lines, _READ_COLUMNS).persist()
    tasks = max(lake.spark.sparkContext.defaultParallelism, lines.rdd.getNumPartitions())
    spans = F.count("*"), F.min("event_time"), F.max("event_time")
    by_month = read.groupBy("month").agg(*spans).collect()
    lines_by_month = {month: count for month, count, *_ in by_month}
    ranges = {month: (first, last) for month, _, first, last in by_month}
    once = read.repartition(tasks, *_KEY).dropDuplicates(_KEY)
    new = _without_known(lake, once, ranges, tasks).persist()
    try:
        # Before the write, after which Spark computes frames again that read the lake.
        counts = {row.month: row["count"] for row in new.groupBy("month").count().collect()}
        _append_events(new, counts, lake, tasks)
        return Added(
            sum(lines_by_month.values()),
            sum(counts.values()) - counts.get(layout.REJECTED, 0),
            lines_by_month.get(layout.REJECTED, 0),
            tuple(sorted(lines_by_month.keys() - {layout.REJECTED})),
            _find_rejections(read) if layout.REJECTED in lines_by_month else (),
        )
    finally:
        new.unpersist()
        read.unpersist()


def _find_rejections(read: DataFrame) -> tuple[Rejection, ...]:
    """Return the most frequent reasons, each with the first of its lines by text."""
    from pyspark.sql import functions as F

    first = F.min(F.substring("body", 1, _EXAMINED))
    reasons = read.where(F.col("month") == layout.REJECTED).groupBy("not_projected")
    rows = reasons.agg(F.count("*"), first).orderBy(F.desc("count(1)"), "not_projected")
    return tuple(
        Rejection(reason, lines, redact_text(bytes(line).decode(errors="replace"))[:_BEGINNING])
        for reason, lines, line in rows.limit(_REASONS).collect()
    )


def _without_known(
    lake: Lake, rows: DataFrame, ranges: Mapping[str, Sequence[str]], tasks: int
) -> DataFrame:
    """Return the rows that the lake does not have.

    ``ranges``: the first and the last time of the rows in each month. As files are sorted by time,
    Parquet reads little else. A micro-batch of a stream would otherwise read the whole month.
    """
    from pyspark.sql import functions as F

    known = lake.read_months(sorted(ranges))
    if known is None or not ranges:
        return rows
    time = F.col("event_time")
    near = known.where(reduce(or_, (time.between(*each) for each in ranges.values())))
    return rows.join(near.select(_KEY).repartition(tasks, *_KEY), _KEY, "left_anti")


def _append_events(events: DataFrame, counts: Mapping[str, int], lake: Lake, tasks: int) -> None:
    """Append events to their months, in files of limited size. ``counts``: numbers by month.

    The events of a run and a month are written to one file. A fold then merges most of them in one
    batch and inserts the run. If it updated the run later, autovacuum would have to remove rows.
    """
    from pyspark.sql import functions as F

    files = F.lit(1)
    for month, count in counts.items():
        if more := count // layout.EVENTS_PER_FILE:
            files = F.when(F.col("month") == month, more + 1).otherwise(files)
    divided = events.repartition(tasks, "month", F.pmod(F.xxhash64(layout.key_of_run()), files))
    lake.append_events(divided.sortWithinPartitions("month", "event_time", "sha256"))


def _read_lines(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Read the events of lines; ``not_projected`` of a line that is none has the reason."""
    import pyarrow

    schema = layout.arrow_schema(month=pyarrow.string())
    for batch in batches:
        lines = batch.column(0).to_pylist()
        rows = [_read_line(line) for line in lines if line and line.strip()]
        yield pyarrow.RecordBatch.from_pylist(rows, schema=schema)


def _read_line(line: bytes) -> dict[str, Any]:
    try:
        entry = read_entry(line)
    except InvalidEvent as error:
        reason = _OF_A_SPOOL if is_plan_document(line) else error.message
        return {
            "sha256": layout.digest_of(line), "event_time": "", "body": line,
            "month": layout.REJECTED, "not_projected": reason,
        }  # fmt: skip
    event = entry.event
    return {
        "sha256": entry.sha256,
        "event_time": event.time,
        "run_id": event.run_id if isinstance(event, RunEvent) else None,
        "body": entry.body,
        "month": event.time[:7],
    }
