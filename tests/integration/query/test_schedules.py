"""Overdue jobs and late runs after backfills and retries, by the nominal times of runs."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import run_event
from support.properties import examples_in_one_database
from support.reference.graph import clear
from support.reference.schedules import Started, overdue_since

from lineage.ingest.writer import write_events
from lineage.maintenance.archive_runs import archive_runs
from lineage.query import Graph

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

    Connection = psycopg.Connection[Any]

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
MARCH = datetime(2026, 3, 1, tzinfo=UTC)


def run(
    began: datetime, nominal: datetime | None, state: str = "COMPLETE", took: timedelta = MINUTE
) -> list[str]:
    """Return the events of a run of the job; its id is the start and the nominal time."""
    facets: dict[str, Any] = {}
    if nominal:
        facets["nominalTime"] = {"nominalStartTime": nominal.isoformat()}
    name = f"{began:%m-%d %H:%M} of {nominal:%m-%d %H}" if nominal else f"{began:%m-%d %H:%M}"
    return [
        json.dumps({**json.loads(run_event(name, event, 0, **facets)), "eventTime": at.isoformat()})
        for event, at in (("START", began), (state, began + took))
    ]


def daily(first: int, last: int) -> list[str]:
    """Return the runs of these days of March, each begun an hour after the end of its day."""
    days = [MARCH + number * DAY for number in range(first - 1, last)]
    return [event for day in days for event in run(day + DAY + HOUR, day)]


def backfill(began: datetime, first_day: datetime, days: int, order: int = 1) -> list[str]:
    """Return runs of successive days, one after another each two minutes."""
    numbers = list(range(days))[::order]
    return [
        event
        for place, number in enumerate(numbers)
        for event in run(began + 2 * place * MINUTE, first_day + number * DAY)
    ]


def overdue(conn: Connection, at: datetime) -> list[str]:
    """Return the time by which the next run of each overdue job was expected."""
    return [
        f"{datetime.fromisoformat(each.expected_by):%m-%d %H:%M}"
        for each in Graph.over(conn).overdue_jobs(at.isoformat()).jobs
    ]


@pytest.mark.parametrize("order", [1, -1])
def test_a_backfill_of_earlier_days_does_not_change_when_a_daily_run_is_expected(
    conn: Connection, order: int
) -> None:
    """The day of 20 March ran on the 21st, 01:00; the next is expected by the 22nd, 13:00."""
    write_events(conn, daily(1, 20))
    noon = MARCH + 20 * DAY + 12 * HOUR
    write_events(conn, backfill(noon, MARCH - 40 * DAY, 40, order))
    assert overdue(conn, noon + 2 * HOUR) == []
    assert overdue(conn, MARCH + 21 * DAY + 13 * HOUR) == []
    assert overdue(conn, MARCH + 21 * DAY + 14 * HOUR) == ["03-22 13:00"]
    [late] = Graph.over(conn).overdue_jobs((MARCH + 22 * DAY).isoformat()).jobs
    assert (late.median, late.spread, late.intervals) == (DAY.total_seconds(), 0, 19)
    assert late.last_run.run_id == "03-21 01:00 of 03-20 00"


def test_the_days_that_a_backfill_repeats_are_no_new_runs_of_the_schedule(
    conn: Connection,
) -> None:
    write_events(conn, daily(1, 20))
    noon = MARCH + 20 * DAY + 12 * HOUR
    write_events(conn, backfill(noon, MARCH, 19))
    assert overdue(conn, MARCH + 21 * DAY + 13 * HOUR) == []
    assert overdue(conn, MARCH + 21 * DAY + 14 * HOUR) == ["03-22 13:00"]


def test_the_runs_after_a_backfill_are_expected_as_before_it(conn: Connection) -> None:
    noon = MARCH + 20 * DAY + 12 * HOUR
    write_events(conn, [*daily(1, 20), *backfill(noon, MARCH - 40 * DAY, 40), *daily(21, 22)])
    assert overdue(conn, MARCH + 23 * DAY + 13 * HOUR) == []
    assert overdue(conn, MARCH + 23 * DAY + 14 * HOUR) == ["03-24 13:00"]


def test_a_backfill_that_stopped_halfway_does_not_hide_the_missing_daily_run(
    conn: Connection,
) -> None:
    """It began on the 22nd, at noon, and should have run 300 days; it stopped after 25."""
    write_events(conn, daily(1, 20))
    write_events(conn, backfill(MARCH + 21 * DAY + 12 * HOUR, MARCH - 400 * DAY, 25))
    assert overdue(conn, MARCH + 21 * DAY + 12 * HOUR + 49 * MINUTE) == []
    assert overdue(conn, MARCH + 21 * DAY + 13 * HOUR + MINUTE) == ["03-22 13:00"]


def test_retries_of_one_hour_count_once(conn: Connection) -> None:
    """Each hour is tried at 0, 5 and 10 minutes after its end."""
    hours = [MARCH + number * HOUR for number in range(12)]
    events = [
        event
        for hour in hours
        for attempt in range(3)
        for event in run(
            hour + HOUR + attempt * 5 * MINUTE, hour, ("FAIL", "FAIL", "COMPLETE")[attempt]
        )
    ]
    write_events(conn, events)
    last = MARCH + 12 * HOUR
    assert overdue(conn, last + 90 * MINUTE) == []
    assert overdue(conn, last + 91 * MINUTE) == ["03-01 13:30"]
    [late] = Graph.over(conn).overdue_jobs((last + 2 * HOUR).isoformat()).jobs
    assert (late.median, late.intervals) == (HOUR.total_seconds(), 11)
    assert (late.last_run.run_id, late.last_run.state) == ("03-01 12:10 of 03-01 11", "COMPLETE")


def test_retries_of_the_first_hour_are_no_schedule(conn: Connection) -> None:
    write_events(
        conn, [e for n in range(30) for e in run(MARCH + HOUR + n * MINUTE, MARCH, "FAIL")]
    )
    assert overdue(conn, MARCH + 2 * HOUR) == []


def test_a_job_that_was_changed_from_daily_to_hourly_is_expected_each_hour(
    conn: Connection,
) -> None:
    write_events(conn, daily(1, 20))
    since = MARCH + 20 * DAY
    hourly = [run(since + (n + 1) * HOUR + MINUTE, since + n * HOUR) for n in range(1, 13)]
    write_events(conn, [event for events in hourly[:6] for event in events])
    # Most of the last intervals are still days.
    assert overdue(conn, since + 10 * HOUR) == []
    write_events(conn, [event for events in hourly[6:] for event in events])
    last = since + 13 * HOUR + MINUTE
    assert overdue(conn, last + 90 * MINUTE) == []
    assert overdue(conn, last + 91 * MINUTE) == ["03-21 14:31"]


def test_a_job_that_only_a_backfill_has_run_has_no_schedule(conn: Connection) -> None:
    write_events(conn, backfill(MARCH + 30 * DAY, MARCH - 60 * DAY, 60))
    for passed in (HOUR, DAY, 2 * DAY, 10 * DAY, 40 * DAY):
        assert overdue(conn, MARCH + 30 * DAY + 2 * HOUR + passed) == []


def test_a_job_that_was_caught_up_to_yesterday_is_expected_after_six_runs_in_time(
    conn: Connection,
) -> None:
    """The days before are run at once when the job is new; the last three of them are in time."""
    write_events(conn, backfill(MARCH + 20 * DAY + HOUR, MARCH - 40 * DAY, 61))
    write_events(conn, daily(21, 22))
    assert overdue(conn, MARCH + 23 * DAY + 14 * HOUR) == []
    write_events(conn, daily(23, 23))
    assert overdue(conn, MARCH + 24 * DAY + 13 * HOUR) == []
    assert overdue(conn, MARCH + 24 * DAY + 14 * HOUR) == ["03-25 13:00"]


def test_runs_always_hours_after_their_nominal_time_are_no_backfill(conn: Connection) -> None:
    hours = [MARCH + number * HOUR for number in range(12)]
    write_events(conn, [event for hour in hours for event in run(hour + 9 * HOUR, hour)])
    assert overdue(conn, MARCH + 20 * HOUR + 91 * MINUTE) == ["03-01 21:30"]


def test_a_nominal_time_in_the_future_counts_as_the_start(conn: Connection) -> None:
    mistake = run(MARCH + 20 * DAY + 12 * HOUR, MARCH + 20_000 * DAY)
    write_events(conn, [*daily(1, 20), *mistake, *daily(21, 25)])
    assert overdue(conn, MARCH + 26 * DAY + 13 * HOUR) == []
    assert overdue(conn, MARCH + 26 * DAY + 14 * HOUR) == ["03-27 13:00"]


def test_a_text_that_is_no_time_is_no_nominal_time(conn: Connection) -> None:
    facets = {"nominalTime": {"nominalStartTime": "tomorrow morning"}}
    write_events(conn, [
        json.dumps({**json.loads(run_event(f"r{n}", "COMPLETE", 0, **facets)),
                    "eventTime": (MARCH + n * HOUR).isoformat()})
        for n in range(8)
    ])  # fmt: skip
    assert overdue(conn, MARCH + 8 * HOUR + 31 * MINUTE) == ["03-01 08:30"]


def test_a_backfill_does_not_make_the_archive_take_the_runs_of_the_schedule(
    conn: Connection, tmp_path: Path
) -> None:
    noon = MARCH + 20 * DAY + 12 * HOUR
    write_events(conn, [*daily(1, 20), *backfill(noon, MARCH - 60 * DAY, 60)])
    at = MARCH + 40 * DAY
    before = Graph.over(conn).overdue_jobs(at.isoformat())
    assert [each.intervals for each in before.jobs] == [19]
    assert sum(file.runs for file in archive_runs(conn, "2026-04-01", str(tmp_path))) > 0
    assert Graph.over(conn).overdue_jobs(at.isoformat()) == before


@pytest.mark.parametrize("nominal", [False, True])
def test_the_archive_keeps_the_starts_of_a_mapped_task(
    conn: Connection, tmp_path: Path, nominal: bool
) -> None:
    """The task has 25 instances a day, each of which is a run."""
    write_events(conn, [
        json.dumps({**json.loads(event), "run": {"runId": f"{day} {instance}", "facets": {
            **json.loads(event)["run"]["facets"],
            "parent": {"run": {"runId": f"dag {day}"}, "job": {"namespace": "n", "name": "dag"}},
        }}})
        for day in range(25)
        for instance in range(25)
        for time in [MARCH + day * DAY]
        for event in run(time + instance * MINUTE, time if nominal else None)
    ])  # fmt: skip
    at = (MARCH + 40 * DAY).isoformat()
    before = Graph.over(conn).overdue_jobs(at)
    assert [each.intervals for each in before.jobs] == [20]
    assert sum(file.runs for file in archive_runs(conn, "2026-04-01", str(tmp_path))) > 0
    assert Graph.over(conn).overdue_jobs(at) == before


def late(conn: Connection, run_id: str) -> list[str]:
    """Return what root causes say about the delay of a run."""
    return [c.reason for c in Graph.over(conn).root_cause(run_id).causes if c.kind == "late"]


def test_a_backfill_is_not_late(conn: Connection) -> None:
    noon = MARCH + 20 * DAY + 12 * HOUR
    write_events(conn, [*daily(1, 20), *backfill(noon, MARCH - 40 * DAY, 40)])
    assert late(conn, "03-21 12:00 of 01-20 00") == []
    assert late(conn, "03-21 12:50 of 02-14 00") == []
    assert late(conn, "03-21 13:18 of 02-28 00") == []


def test_the_delay_of_a_run_is_compared_with_those_before_the_backfill(conn: Connection) -> None:
    """The usual delay is 25 hours, so that up to 37 and a half are expected."""
    noon = MARCH + 20 * DAY + 12 * HOUR
    day = MARCH + 20 * DAY
    write_events(conn, [*daily(1, 20), *backfill(noon, MARCH - 40 * DAY, 40)])
    write_events(conn, [*run(day + 37 * HOUR, day), *run(day + 62 * HOUR, day + DAY)])
    assert late(conn, "03-22 13:00 of 03-21 00") == []
    [reason] = late(conn, "03-23 14:00 of 03-22 00")
    assert "25 h" in reason


def test_a_run_after_an_outage_is_late(conn: Connection) -> None:
    """The days from 21 March on are run on the 31st, at once."""
    restart = MARCH + 30 * DAY
    write_events(conn, [*daily(1, 20), *backfill(restart, MARCH + 20 * DAY, 10)])
    assert len(late(conn, "03-31 00:00 of 03-21 00")) == 1


_minutes = st.integers(0, 60).map(lambda n: 60 * n)
_runs = st.lists(
    st.builds(
        Started,
        _minutes,
        st.none() | st.integers(-100, 70).map(lambda n: 60 * n),
    )
    | _minutes.map(lambda at: Started(at, at - 60)),
    min_size=1,
    max_size=70,
)


@examples_in_one_database(60)
@given(_runs, st.integers(0, 20_000))
def test_overdue_is_as_the_schedule_reports(
    conn: Connection, runs: list[Started], now: int
) -> None:
    clear(conn)
    write_events(conn, [
        json.dumps({
            **json.loads(run_event(f"r{number}", "COMPLETE", 0, **(
                {} if each.nominal is None else {"nominalTime": {
                    "nominalStartTime": (MARCH + each.nominal * timedelta(seconds=1)).isoformat()
                }}
            ))),
            "eventTime": (MARCH + each.start * timedelta(seconds=1)).isoformat(),
        })
        for number, each in enumerate(runs)
    ])  # fmt: skip
    expected = overdue_since(runs, now)
    result = Graph.over(conn).overdue_jobs((MARCH + now * timedelta(seconds=1)).isoformat())
    found = [
        (datetime.fromisoformat(each.expected_by) - MARCH).total_seconds() for each in result.jobs
    ]
    assert found == ([] if expected is None else [pytest.approx(expected, abs=1e-5)])
