"""Jobs whose next run is overdue."""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import run_event, time
from support.properties import examples_in_one_database
from support.reference.graph import clear

from lineage.errors import UsageError
from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

HOUR = 3600


def runs(job: str, *seconds: int, **facets: Any) -> list[str]:
    return [
        run_event(f"{job}-{at}", "COMPLETE", at, job, ("a",), ("b",), **facets) for at in seconds
    ]


def overdue_at(conn: Connection, at: int) -> list[str]:
    return [each.job.name for each in Graph.over(conn).overdue_jobs(time(at)).jobs]


def test_a_job_is_overdue_after_one_and_a_half_of_its_expected_interval(conn: Connection) -> None:
    write_events(conn, runs("hourly", *(n * HOUR for n in range(7))))
    last = 6 * HOUR
    assert overdue_at(conn, last + HOUR) == []
    assert overdue_at(conn, last + HOUR * 3 // 2) == []
    assert overdue_at(conn, last + HOUR * 3 // 2 + 1) == ["hourly"]
    [late] = Graph.over(conn).overdue_jobs(time(last + 2 * HOUR)).jobs
    assert late.last_run.run_id == f"hourly-{last}"
    assert late.expected_by == "2026-01-01T07:30:00.000000Z"
    assert (late.median, late.spread, late.intervals) == (HOUR, 0, 6)


@pytest.mark.parametrize(("instances", "is_nominal"), [(4, False), (4, True), (70, True)])
def test_runs_with_the_same_parent_have_one_start(
    conn: Connection, instances: int, is_nominal: bool
) -> None:
    """A job has several runs an hour, the writes of a loop or the instances of a task."""
    events = []
    for hour in range(8):
        nominal = {"nominalTime": {"nominalStartTime": time(hour * HOUR)}} if is_nominal else {}
        for n in range(instances):
            at = hour * HOUR + 20 * n
            events.append(
                run_event(f"{hour}-{n}", "COMPLETE", at, "load", ("a",), ("b",),
                          (f"flow-{hour}", "flow"), **nominal)
            )  # fmt: skip
    write_events(conn, events)
    last = 7 * HOUR
    assert overdue_at(conn, last + 20 * instances + 300) == []
    assert overdue_at(conn, last + HOUR * 3 // 2) == []
    assert overdue_at(conn, last + HOUR * 3 // 2 + 1) == ["load"]
    [late] = Graph.over(conn).overdue_jobs(time(last + 3 * HOUR)).jobs
    assert (late.median, late.spread, late.intervals) == (HOUR, 0, 7)


def test_runs_after_the_time_do_not_count(conn: Connection) -> None:
    write_events(conn, runs("hourly", *(n * HOUR for n in range(7)), 20 * HOUR))
    assert overdue_at(conn, 9 * HOUR) == ["hourly"]
    assert overdue_at(conn, 20 * HOUR) == []


def test_a_job_that_has_not_run_for_long_is_retired(conn: Connection) -> None:
    write_events(conn, runs("often", *(n * 60 for n in range(7))))
    # Usual is from 0 to 120 seconds: a minute is the least margin.
    assert overdue_at(conn, 360 + 121) == ["often"]
    assert overdue_at(conn, 360 + 20 * 120) == ["often"]
    assert overdue_at(conn, 360 + 20 * 120 + 1) == []


@pytest.mark.parametrize("processing", ["STREAMING", "SERVICE"])
def test_too_few_intervals_and_streams_are_never_overdue(conn: Connection, processing: str) -> None:
    stream = {"jobType": {"jobType": "JOB", "processingType": processing, "integration": "SPARK"}}
    write_events(conn, runs("few", *(n * HOUR for n in range(5))))
    write_events(conn, runs("stream", *(n * HOUR for n in range(8)), of_job=stream))
    assert overdue_at(conn, 12 * HOUR) == []


def test_the_limit_counts_the_others(conn: Connection) -> None:
    for name in ("x", "y", "z"):
        write_events(conn, runs(name, *(n * HOUR for n in range(7))))
    result = Graph.over(conn).overdue_jobs(time(9 * HOUR), 2)
    assert ([each.job.name for each in result.jobs], result.omitted) == (["x", "y"], 1)


def test_a_text_that_is_no_time_is_rejected(conn: Connection) -> None:
    with pytest.raises(UsageError, match="soon"):
        Graph.over(conn).overdue_jobs("soon")


def is_overdue(starts: list[int], now: int) -> bool:
    """Return whether a job whose runs began at these seconds is overdue, as documented."""
    began = sorted({each for each in starts if each <= now})[-21:]
    intervals = [later - earlier for earlier, later in pairwise(began)]
    if len(intervals) < 5:
        return False
    usual = median(intervals)
    spread = median([abs(each - usual) for each in intervals])
    greatest = usual + max(4 * spread, usual / 2, 60)
    return greatest < now - began[-1] <= 20 * greatest


@examples_in_one_database(30)
@given(st.lists(st.integers(0, 2000), min_size=1, max_size=40), st.integers(0, 40_000))
def test_overdue_is_as_documented(conn: Connection, starts: list[int], now: int) -> None:
    clear(conn)
    write_events(conn, runs("job", *set(starts)))
    assert bool(overdue_at(conn, now)) == is_overdue(starts, now)
