"""Counts over the last day by hours, or the last week by days, as Marquez's first page asks."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

from lineage.collector.problems import Problem
from lineage.collector.reading.operations import Operation
from lineage.collector.reading.parameters import Choice, Text

if TYPE_CHECKING:
    import psycopg

    Conn = psycopg.Connection[Any]
    Json = dict[str, Any]

_IS_ZONE = "SELECT EXISTS (SELECT FROM pg_timezone_names WHERE lower(name) = lower(%s))"

_INTERVALS = """
SELECT lineage.iso(began), lineage.iso(ended), began
FROM (
    SELECT date_trunc('hour', now()) - n * interval '1 hour' AS began,
           date_trunc('hour', now()) - (n - 1) * interval '1 hour' AS ended
    FROM generate_series(0, 23) AS n WHERE %(period)s = 'DAY'
    UNION ALL
    SELECT (today - n * interval '1 day') AT TIME ZONE %(timezone)s,
           (today - (n - 1) * interval '1 day') AT TIME ZONE %(timezone)s
    FROM generate_series(0, 6) AS n, date_trunc('day', now() AT TIME ZONE %(timezone)s) AS today
    WHERE %(period)s = 'WEEK') AS i
ORDER BY began
"""

# 0 is before the first interval.
_RUNS = """
SELECT 'start', width_bucket(started_at, %(began)s::timestamptz[]) AS bucket, count(*)
FROM lineage.run WHERE started_at >= (%(began)s::timestamptz[])[1] GROUP BY bucket
UNION ALL
SELECT lower(state), width_bucket(ended_at, %(began)s::timestamptz[]) AS bucket, count(*)
FROM lineage.run WHERE ended_at >= (%(began)s::timestamptz[])[1] GROUP BY state, bucket
"""
_SEEN = """
SELECT width_bucket(coalesce(first_seen, '-infinity'), %(began)s::timestamptz[]) AS bucket, count(*)
FROM {things} GROUP BY bucket
"""
_JOBS = _SEEN.replace("{things}", "lineage.job")
_DATASETS = _SEEN.replace(
    "{things}",
    "(SELECT min(first_seen) AS first_seen FROM lineage.dataset GROUP BY canonical) AS d",
)
_SOURCES = _SEEN.replace(
    "{things}",
    "(SELECT min(first_seen) AS first_seen FROM lineage.dataset GROUP BY namespace) AS s",
)
_KINDS = ("fail", "start", "complete", "abort")


def _intervals(conn: Conn, given: Json) -> tuple[list[Json], list[Any]]:
    """Return the intervals as an answer has them, and when each began."""
    zone = given["timezone"]
    if zone != "UTC" and not conn.execute(_IS_ZONE, (zone,)).fetchall()[0][0]:
        raise Problem(400, f'timezone "{zone[:40]}" is none.', "Name one, as Europe/Berlin.")
    rows = conn.execute(_INTERVALS, given).fetchall()
    return (
        [{"startInterval": began, "endInterval": ended} for began, ended, _ in rows],
        [began for *_, began in rows],
    )


def _runs(conn: Conn, given: Json) -> list[Json]:
    intervals, began = _intervals(conn, given)
    found = [{**interval, **dict.fromkeys(_KINDS, 0)} for interval in intervals]
    for kind, bucket, count in conn.execute(_RUNS, {"began": began}):
        found[bucket - 1][kind] = count
    return found


def _growth(statement: str) -> Any:
    """Return the question how many things there were at the end of each interval."""

    def question(conn: Conn, given: Json) -> list[Json]:
        intervals, began = _intervals(conn, given)
        new = [0] * (len(intervals) + 1)
        for bucket, count in conn.execute(statement, {"began": began}):
            new[bucket] = count
        counts = list(accumulate(new))[1:]
        return [{**each, "count": count} for each, count in zip(intervals, counts, strict=True)]

    return question


_PERIOD = (
    Choice("period", "The last 24 hours, or 7 days.", "DAY", words=("DAY", "WEEK")),
    Text("timezone", "Where the days of a week begin.", "UTC"),
)

OPERATIONS = (
    Operation("/api/v1/stats/lineage-events", "Runs that began and ended", _runs, _PERIOD),
    Operation("/api/v1/stats/jobs", "How many jobs there were", _growth(_JOBS), _PERIOD),
    Operation(
        "/api/v1/stats/datasets", "How many datasets there were", _growth(_DATASETS), _PERIOD
    ),
    Operation("/api/v1/stats/sources", "How many sources there were", _growth(_SOURCES), _PERIOD),
)
