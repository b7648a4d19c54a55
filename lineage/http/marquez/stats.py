"""Counts by hour of the last day or by day of the last week, for the first page of Marquez."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.http.errors import ApiError
from lineage.http.operation import Operation
from lineage.http.parameters import Choice, Text

if TYPE_CHECKING:
    from datetime import datetime

    import psycopg

    from lineage.database.statements import Statement

    Conn = psycopg.Connection[Any]
    Json = dict[str, Any]

_IS_ZONE = "SELECT EXISTS (SELECT FROM pg_timezone_names WHERE lower(name) = lower(%s))"

_KINDS = ("fail", "start", "complete", "abort")


class IntervalRow(NamedTuple):
    """An hour or a day; ``began`` is its start as a time."""

    start_interval: str
    end_interval: str
    began: datetime


class RunCountRow(NamedTuple):
    """The number of runs that began, or ended in a state, in an interval."""

    kind: str
    bucket: int
    runs: int


class BucketRow(NamedTuple):
    """The number of entities that were first seen in an interval."""

    bucket: int
    entities: int


_SQL = StatementFile(__file__)
_SELECT_INTERVALS = _SQL.statement("select_intervals", IntervalRow)
_COUNT_RUNS = _SQL.statement("count_runs", RunCountRow)
_COUNT_JOBS = _SQL.statement("count_jobs", BucketRow)
_COUNT_DATASETS = _SQL.statement("count_datasets", BucketRow)
_COUNT_SOURCES = _SQL.statement("count_sources", BucketRow)


def _read_intervals(conn: Conn, values: Json) -> tuple[list[Json], list[datetime]]:
    """Return the intervals in the format of responses, and their start times."""
    zone = values["timezone"]
    if zone != "UTC" and conn.execute(_IS_ZONE, (zone,)).fetchall() != [(True,)]:
        raise ApiError(
            400, f'The time zone "{zone[:40]}" does not exist.', "Use a name such as Europe/Berlin."
        )
    rows = _SELECT_INTERVALS.fetch(conn, **values)
    return (
        [{"startInterval": row.start_interval, "endInterval": row.end_interval} for row in rows],
        [row.began for row in rows],
    )


def _count_runs(conn: Conn, values: Json) -> list[Json]:
    intervals, began = _read_intervals(conn, values)
    counts = [{**interval, **dict.fromkeys(_KINDS, 0)} for interval in intervals]
    for row in _COUNT_RUNS.fetch(conn, began=began):
        counts[row.bucket - 1][row.kind] = row.runs
    return counts


def _growth_operation(statement: Statement[BucketRow]) -> Any:
    """Return the query for the number of entities at the end of each interval."""

    def read_counts(conn: Conn, values: Json) -> list[Json]:
        intervals, began = _read_intervals(conn, values)
        new = [0] * (len(intervals) + 1)
        for row in statement.fetch(conn, began=began):
            new[row.bucket] = row.entities
        counts = list(accumulate(new))[1:]
        return [{**each, "count": count} for each, count in zip(intervals, counts, strict=True)]

    return read_counts


_PERIOD = (
    Choice("period", "The last 24 hours, or 7 days.", "DAY", words=("DAY", "WEEK")),
    Text("timezone", "The time zone in which the days of a week begin.", "UTC"),
)

OPERATIONS = (
    Operation(
        "/api/v1/stats/lineage-events",
        "Numbers of runs that began and ended in each interval",
        _count_runs,
        _PERIOD,
    ),
    Operation(
        "/api/v1/stats/jobs",
        "Number of jobs at the end of each interval",
        _growth_operation(_COUNT_JOBS),
        _PERIOD,
    ),
    Operation(
        "/api/v1/stats/datasets",
        "Number of datasets at the end of each interval",
        _growth_operation(_COUNT_DATASETS),
        _PERIOD,
    ),
    Operation(
        "/api/v1/stats/sources",
        "Number of sources at the end of each interval",
        _growth_operation(_COUNT_SOURCES),
        _PERIOD,
    ),
)
