"""Fold the events of a lake into the graph by Spark, without appending them to the log.

First, the files are registered, so that a rebuild reads them. Then the tasks project the events.
A task that is killed and started again projects events twice, which changes nothing. A fold that
is interrupted leaves files without a time of projection, and the next fold projects them.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.connection import connect_migrated, resolve_target
from lineage.database.errors import translate_errors
from lineage.eventlog import archived
from lineage.events.entry import JOB_PATTERN, stored_entry
from lineage.events.merge import BATCH_BYTES, BATCH_SIZE, Batch
from lineage.lake import layout
from lineage.lake.registration import register_files
from lineage.lake.spark_errors import translate_spark_errors
from lineage.projection.deferred import finish_summaries
from lineage.projection.project import project_batch
from lineage.projection.transaction import retry_exclusively
from lineage.sized_groups import group_by_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import psycopg
    import pyarrow
    from pyspark.sql import DataFrame

    from lineage.lake.opening import Lake


class Folded(NamedTuple):
    """A month, and the number of its events that were projected."""

    month: str
    events: int


def fold_lake(
    lake: Lake,
    conn: psycopg.Connection[Any],
    dsn: str | None,
    months: Sequence[str] | None = None,
) -> Iterator[Folded]:
    """Project the events of all files of a lake that are not projected; yield each month.

    ``dsn`` is that of ``connect``, for the tasks. ``months``: only these, as 2026-01. The database
    may have other events and receive some meanwhile. Raises LakeError if the lake cannot be read,
    or lacks events of the graph; DatabaseError if a task cannot write; months before it remain
    projected.
    """
    spark = lake.spark
    target = resolve_target(dsn).dsn  # executors have another environment
    for month in lake.list_months() if months is None else months:
        with translate_spark_errors("lake", lake.name):
            files = register_files(conn, lake, month)
            if files:
                events = layout.read_parquet(spark, map(layout.spark_path, files))
                count = _project_events(events, target, spark.sparkContext.defaultParallelism)
                finish_summaries(conn)
                archived.mark_projected(conn, files)
                yield Folded(month, count)


def _project_events(events: DataFrame, dsn: str, tasks: int) -> int:
    """Project events in tasks, the events of a job in one task; return their number."""
    from pyspark.sql import functions as F

    job = F.regexp_extract(F.col("body").cast("string"), JOB_PATTERN, 1)
    divided = (
        events.where("not_projected IS NULL")
        .select("sha256", "body", job.alias("job"))
        .repartition(tasks, "job")
        .select("sha256", "body")
    )
    counts = divided.mapInArrow(partial(_project_task, dsn), "events bigint").collect()
    return sum(row.events for row in counts)


def _project_task(
    dsn: str, batches: Iterable[pyarrow.RecordBatch]
) -> Iterator[pyarrow.RecordBatch]:
    """Project the events of a task, in batches of one transaction each."""
    import pyarrow

    count = 0
    with connect_migrated(dsn) as conn:  # executors may have another version
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
    columns = ((column.to_pylist() for column in batch.columns) for batch in batches)
    rows = chain.from_iterable(zip(*each, strict=True) for each in columns)
    sized = (((sha256, body), len(body)) for sha256, body in rows)
    return group_by_size(sized, BATCH_BYTES, BATCH_SIZE)
