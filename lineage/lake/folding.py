"""Fold the events of a lake into the graph by Spark, without appending them to the log.

First, the files are registered, so that a rebuild reads them. Then the tasks project the events.
A task that is killed and started again projects events twice, which changes nothing. A fold that
is interrupted leaves files without a time of projection, and the next fold projects them.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.connection import connect
from lineage.database.errors import translate_errors
from lineage.eventlog import archived
from lineage.eventlog.lake_files import LakeFile, add_digest, leading_bits
from lineage.events.entry import stored_entry
from lineage.events.merge import BATCH_BYTES, BATCH_SIZE, Batch
from lineage.lake import layout
from lineage.projection.deferred import finish_summaries
from lineage.projection.locks import retry_exclusively
from lineage.projection.project import project_batch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import psycopg
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

# The job of an event or of its parent run. Events of one job are projected by one task, because
# batches with the same jobs would wait for each other; any division gives the same graph.
_JOB = r'"job"\s*:\s*\{[^{}]*?"name"\s*:\s*"([^"]*)"'
_COUNTED = "location string, events bigint, digest_sum bigint"


class Folded(NamedTuple):
    """A month, and the number of its events that were projected."""

    month: str
    events: int


def fold_lake(
    spark: SparkSession,
    conn: psycopg.Connection[Any],
    dsn: str | None,
    lake: str,
    months: Sequence[str] | None = None,
) -> Iterator[Folded]:
    """Project the events of all files of a lake that are not projected; yield each month.

    ``dsn`` is that of ``connect``, for the tasks. ``months``: only these, as 2026-01. The
    database may have other events and receive some meanwhile. Raises LakeError if the lake cannot
    be read, DatabaseError if a task cannot write; months before it remain projected.
    """
    for month in layout.list_months(spark, lake) if months is None else months:
        with layout.reported_as("lake", lake):
            files = _register_files(spark, conn, lake, month)
            if files:
                events = spark.read.schema(layout.COLUMNS).parquet(*map(layout.spark_path, files))
                count = _project_events(events, dsn, spark.sparkContext.defaultParallelism)
                finish_summaries(conn)
                archived.mark_projected(conn, files)
                yield Folded(month, count)


def _register_files(
    spark: SparkSession, conn: psycopg.Connection[Any], lake: str, month: str
) -> list[str]:
    """Register the new files of a month; return the locations of those not yet projected."""
    events = layout.read_lake(spark, lake, [month])
    if events is None:
        return []
    known = archived.archived_locations(conn)
    named = {layout.stored_location(path): path for path in events.inputFiles()}
    if new := [path for location, path in named.items() if location not in known]:
        with translate_errors(), conn.transaction():
            for file in _count_events(spark.read.schema(layout.COLUMNS).parquet(*new), month):
                archived.register_file(conn, file, is_projected=False)
    return [location for location in archived.unprojected_locations(conn) if location in named]


def _count_events(events: DataFrame, month: str) -> list[LakeFile]:
    """Return the files of events with their numbers and sums of digests."""
    from pyspark.sql import functions as F

    counted = events.select(F.input_file_name().alias("location"), "sha256")
    totals: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for row in counted.mapInArrow(_sum_digests, _COUNTED).collect():
        number, total = totals[row.location]
        totals[row.location] = number + row.events, add_digest(total, row.digest_sum)
    return [
        LakeFile(layout.stored_location(path), month, number, total)
        for path, (number, total) in totals.items()
    ]


def _sum_digests(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    for batch in batches:
        totals: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
        for location, sha256 in zip(*(c.to_pylist() for c in batch.columns), strict=True):
            number, total = totals[location]
            totals[location] = number + 1, add_digest(total, leading_bits(sha256))
        columns = [
            [*totals], [n for n, _ in totals.values()], [total for _, total in totals.values()]
        ]  # fmt: skip
        yield pyarrow.RecordBatch.from_arrays(
            [pyarrow.array(column) for column in columns], ["location", "events", "digest_sum"]
        )


def _project_events(events: DataFrame, dsn: str | None, tasks: int) -> int:
    """Project events in tasks, the events of a job in one task; return their number."""
    from pyspark.sql import functions as F

    job = F.regexp_extract(F.col("body").cast("string"), _JOB, 1)
    divided = (
        events.where("not_projected IS NULL")
        .select("sha256", "body", job.alias("job"))
        .repartition(tasks, "job")
        .select("sha256", "body")
    )
    counts = divided.mapInArrow(partial(_project_task, dsn), "events bigint").collect()
    return sum(row.events for row in counts)


def _project_task(
    dsn: str | None, batches: Iterable[pyarrow.RecordBatch]
) -> Iterator[pyarrow.RecordBatch]:
    """Project the events of a task, in batches of one transaction each."""
    import pyarrow

    count = 0
    with connect(dsn, autocommit=True) as conn:
        for rows in _split_rows(batches):
            merged = Batch.merge_entries(stored_entry(sha256, body) for sha256, body in rows)
            with translate_errors():
                retry_exclusively(partial(_project_once, conn, merged))
            count += len(rows)
    yield pyarrow.RecordBatch.from_pydict({"events": [count]})


def _project_once(conn: psycopg.Connection[Any], merged: Batch, *, exclusive: bool) -> None:
    with conn.transaction():
        project_batch(conn, merged, exclusive=exclusive, deferred=True)


def _split_rows(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[list[tuple[bytes, bytes]]]:
    """Yield digests and bodies, up to the size of a batch at a time."""
    rows: list[tuple[bytes, bytes]] = []
    size = 0
    for batch in batches:
        for sha256, body in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            rows.append((sha256, body))
            size += len(body)
            if len(rows) >= BATCH_SIZE or size >= BATCH_BYTES:
                yield rows
                rows, size = [], 0
    if rows:
        yield rows
