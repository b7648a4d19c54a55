"""Statistics of the runs in a lake, computed by Spark: by run, day, week, job, or dataset and day.

They need no database: the names of datasets are those of the events, without aliases.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from lineage.errors import UsageError
from lineage.events.entry import stored_entry
from lineage.events.states import run_end_order
from lineage.lake import layout
from lineage.lake.spark_errors import translate_spark_errors
from lineage.naming import DatasetName
from lineage.openlineage import RunEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow
    from pyspark.sql import Column, DataFrame

    from lineage.lake.opening import Lake

Grouping: TypeAlias = Literal["day", "week", "job", "use", "run"]

_EVENTS = (
    "run_id string, job string, time string, state string, end_order string,"
    " reads array<string>, writes array<string>"
)
_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])", re.ASCII)
_TOTALS = ("runs", "completed", "failed", "events")
# The columns of each grouping.
COLUMNS: dict[Grouping, tuple[str, ...]] = {
    "day": ("day", *_TOTALS, "jobs", "datasets"),
    "week": ("week", *_TOTALS, "jobs", "datasets"),
    "job": ("job", *_TOTALS, "datasets", "seconds", "last_began"),
    "use": ("day", "dataset", "reads", "writes"),
    "run": ("run_id", "job", "began", "ended", "state", "events", "reads", "writes"),
}


def compute_statistics(lake: Lake, by: Grouping, since: str | None = None) -> DataFrame:
    """Return a frame with ``COLUMNS[by]``, the newest first; of jobs the one with most runs first.

    ``since``: the first month to read, as 2026-01. A run counts on the day of its first event in
    these months, in UTC. Raises LakeError if the lake cannot be read, UsageError if ``since`` is
    not a month.
    """
    first = read_month(since)
    with translate_spark_errors("lake", lake.name):
        months = [month for month in lake.list_months() if month >= first]
        events = lake.read_months(months)
        if events is None:
            events = lake.spark.createDataFrame([], layout.COLUMNS)
        # An event may be in two files, if it came again after its month was archived.
        once = events.where("not_projected IS NULL").dropDuplicates(["event_time", "sha256"])
        runs = _merge_runs(once.select("sha256", "body").mapInArrow(_read_events, _EVENTS))
        return _GROUPED[by](runs).select(*COLUMNS[by])


def read_month(text: str | None) -> str:
    """Return the month, or the empty text for None. Raises UsageError for any other text."""
    if text is not None and not _MONTH.fullmatch(text):
        raise UsageError(f'"{text}" is not a month.', "Write it as 2026-01.")
    return text or ""


def write_statistics(statistics: DataFrame, location: str) -> None:
    """Write all rows to a new directory, as Parquet. Raises LakeError if it exists."""
    with translate_spark_errors("directory", location):
        statistics.write.option("compression", "zstd").parquet(layout.spark_path(location))


def _merge_runs(events: DataFrame) -> DataFrame:
    """Return a row for each run, with the state by the rule of the graph."""
    from pyspark.sql import functions as F

    return events.groupBy("run_id").agg(
        F.array_sort(F.collect_set("job")).alias("jobs"),
        F.min("time").alias("began"),
        # As in the graph: a run of which only the end is known has no duration.
        F.min(F.when(F.col("state") == "START", F.col("time"))).alias("started"),
        F.max(F.when(F.col("end_order").startswith("end"), F.col("time"))).alias("ended"),
        F.max(F.struct("end_order", "state"))["state"].alias("state"),
        F.count("*").alias("events"),
        F.array_distinct(F.flatten(F.collect_list("reads"))).alias("reads"),
        F.array_distinct(F.flatten(F.collect_list("writes"))).alias("writes"),
    )


def _by_run(runs: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    return runs.select(
        "run_id", F.concat_ws(", ", "jobs").alias("job"), "began", "ended", "state", "events",
        F.size("reads").alias("reads"), F.size("writes").alias("writes"),
    ).orderBy(F.desc("began"), "run_id")  # fmt: skip


def _by_day(runs: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    day = runs.withColumn("day", _day_of_run())
    return day.groupBy("day").agg(*_list_totals(), _number_of("jobs")).orderBy(F.desc("day"))


def _by_week(runs: DataFrame) -> DataFrame:
    """Group by weeks, each named by its Monday."""
    from pyspark.sql import functions as F

    week = runs.withColumn("week", F.trunc(F.to_date(_day_of_run()), "week").cast("string"))
    return week.groupBy("week").agg(*_list_totals(), _number_of("jobs")).orderBy(F.desc("week"))


def _by_job(runs: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    started, ended = (F.unix_micros(F.to_timestamp(column)) for column in ("started", "ended"))
    completed = F.col("state") == "COMPLETE"
    timed = runs.withColumn("seconds", F.when(completed, (ended - started) / 1e6))
    totals = [
        *_list_totals(),
        F.median("seconds").alias("seconds"),
        F.max("began").alias("last_began"),
    ]
    by_job = timed.withColumn("job", F.explode("jobs")).groupBy("job").agg(*totals)
    return by_job.orderBy(F.desc("runs"), "job")


def _by_use(runs: DataFrame) -> DataFrame:
    """Count the runs that read and wrote each dataset on each day."""
    from pyspark.sql import functions as F

    def list_accesses(side: str, other: str) -> DataFrame:
        one = [F.explode(side).alias("dataset"), F.lit(1).alias(side), F.lit(0).alias(other)]
        return runs.select(_day_of_run().alias("day"), *one).select(
            "day", "dataset", "reads", "writes"
        )

    both = list_accesses("reads", "writes").unionAll(list_accesses("writes", "reads"))
    sums = [F.sum("reads").alias("reads"), F.sum("writes").alias("writes")]
    return both.groupBy("day", "dataset").agg(*sums).orderBy(F.desc("day"), "dataset")


_GROUPED: dict[Grouping, Callable[[DataFrame], DataFrame]] = {
    "day": _by_day, "week": _by_week, "job": _by_job, "use": _by_use, "run": _by_run,
}  # fmt: skip


def _day_of_run() -> Column:
    from pyspark.sql import functions as F

    return F.substring("began", 1, 10)


def _list_totals() -> list[Column]:
    from pyspark.sql import functions as F

    return [
        F.count("*").alias("runs"),
        F.count_if(F.col("state") == "COMPLETE").alias("completed"),
        F.count_if(F.col("state").isin("FAIL", "ABORT")).alias("failed"),
        F.sum("events").alias("events"),
        F.size(F.array_union(_all_of("reads"), _all_of("writes"))).alias("datasets"),
    ]


def _number_of(lists: str) -> Column:
    from pyspark.sql import functions as F

    return F.size(_all_of(lists)).alias(lists)


def _all_of(lists: str) -> Column:
    """Return the distinct items of the lists of a group; runs of a job have equal lists."""
    from pyspark.sql import functions as F

    return F.array_distinct(F.flatten(F.collect_set(lists)))


def _read_events(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Read runs, jobs and datasets of the events of runs."""
    import pyarrow

    texts = pyarrow.list_(pyarrow.string())
    names = ("run_id", "job", "time", "state", "end_order")
    schema = pyarrow.schema([(name, pyarrow.string()) for name in names])
    schema = schema.append(pyarrow.field("reads", texts)).append(pyarrow.field("writes", texts))
    for batch in batches:
        bodies = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        events = (stored_entry(sha256, body).event for sha256, body in bodies)
        rows = [_row_of(event) for event in events if isinstance(event, RunEvent)]
        yield pyarrow.RecordBatch.from_pylist(rows, schema=schema)


def _row_of(event: RunEvent) -> dict[str, Any]:
    return {
        "run_id": event.run_id,
        "job": "/".join(event.job.key),
        "time": event.time,
        "state": event.type,
        "end_order": run_end_order(event.type, event.time),
        "reads": [DatasetName(*each.key).full_name for each in event.inputs],
        "writes": [DatasetName(*each.key).full_name for each in event.outputs],
    }
