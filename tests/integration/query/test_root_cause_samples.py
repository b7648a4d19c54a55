"""Samples of durations, delays and row counts are those of the last 20 runs before each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import dataset, run_event, time
from support.properties import examples_in_one_database
from support.reference.graph import clear
from support.reference.schedules import Started, lag_limit

from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

    Connection = psycopg.Connection[Any]

MOST = 20


class PastRun(NamedTuple):
    """A run of ``job``; times are seconds, and ``rows`` are those that it wrote."""

    run_id: str
    job: str
    start: int
    duration: int | None
    nominal: int | None
    rows: int | None
    state: str


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[PastRun], list[PastRun]]:
    """Return runs of two jobs, of which many start at the same time, and some of them."""
    count = draw(st.integers(1, 60))
    runs = [
        PastRun(
            f"run-{number}",
            draw(st.sampled_from(["load", "load", "load", "report"])),
            draw(st.integers(0, 40)) * 60,
            draw(st.sampled_from([None, *range(1, 9)])),
            draw(st.sampled_from([None, 5, 9, 9, 60, 400, 1700])),
            draw(st.sampled_from([None, 1, 2, 3, 4])),
            draw(st.sampled_from(["COMPLETE", "COMPLETE", "COMPLETE", "FAIL"])),
        )
        for number in range(count)
    ]
    most = draw(st.sampled_from([2, count]))  # two runs can be far apart
    asked = draw(st.lists(st.sampled_from(runs), min_size=1, max_size=most, unique=True))
    return runs, asked


def events(run: PastRun) -> Iterator[str]:
    facets = {}
    if run.nominal is not None:
        facets["nominalTime"] = {"nominalStartTime": time(max(0, run.start - run.nominal))}
    yield run_event(run.run_id, "START", run.start, run.job, **facets)
    statistics = {} if run.rows is None else {"outputStatistics": {"rowCount": run.rows}}
    if run.duration is not None:
        end = run.start + run.duration
        written = dataset(f"{run.job}-output", outputFacets=statistics)
        yield run_event(run.run_id, run.state, end, run.job, (), (written,), **facets)


def delay(run: PastRun) -> int | None:
    if run.nominal is None or run.duration is None:
        return None
    return run.start + run.duration - max(0, run.start - run.nominal)


def expected_times(runs: list[PastRun], asked: list[PastRun]) -> dict[Any, Any]:
    found = {}
    for kind, value_of in (("duration", lambda run: run.duration), ("delay", delay)):
        for run in asked:
            before = [
                each
                for each in runs
                if each.job == run.job and each.start < run.start and each.state == "COMPLETE"
                and value_of(each) is not None and (kind == "duration" or in_time(each, run, runs))
            ]  # fmt: skip
            before.sort(key=lambda each: (each.start, each.run_id), reverse=True)
            before = before[:MOST]
            if kind == "duration" or (value_of(run) is not None and not is_backfill(run, before)):
                values = sorted(value_of(each) for each in before)
                found[kind, run.run_id] = (value_of(run), values)
    return found


def started(run: PastRun) -> Started:
    return Started(run.start, None if run.nominal is None else max(0, run.start - run.nominal))


def in_time(run: PastRun, asked: PastRun, runs: list[PastRun]) -> bool:
    """Return whether ``run`` began as soon after its nominal time as usual when ``asked`` did."""
    limit = lag_limit([started(each) for each in runs if each.job == asked.job], asked.start)
    return limit is None or run.start - started(run).scheduled <= limit


def is_backfill(run: PastRun, before: list[PastRun]) -> bool:
    """Return whether a run before it had the same or a later nominal time."""
    return any(started(each).scheduled >= started(run).scheduled for each in before)


def expected_rows(runs: list[PastRun], asked: list[PastRun]) -> dict[Any, Any]:
    def written(run: PastRun) -> int:
        return run.start + (run.duration or 0)

    with_rows = [run for run in runs if run.rows is not None and run.duration is not None]
    found = {}
    for run in asked:
        if run not in with_rows:
            continue
        before = [
            each
            for each in with_rows
            if each.job == run.job and written(each) < written(run) and each.state == "COMPLETE"
        ]
        before.sort(key=lambda each: (written(each), each.run_id), reverse=True)
        found[run.run_id] = (run.rows, sorted(each.rows or 0 for each in before[:MOST]))
    return found


@given(histories())
@examples_in_one_database(60)
def test_samples_are_those_of_the_last_runs(
    conn: Connection, history: tuple[list[PastRun], list[PastRun]]
) -> None:
    runs, asked = history
    clear(conn)
    write_events(conn, [event for run in runs for event in events(run)])
    executions = conn.execute(
        "SELECT array_agg(e.run), array_agg(e.job) FROM lineage.run r"
        " JOIN lineage.execution e ON e.run = r.id WHERE r.run_id = ANY (%s)",
        ([run.run_id for run in asked],),
    ).fetchall()[0]
    times = conn.execute(
        "SELECT s.kind, r.run_id, s.observed, s.samples"
        " FROM lineage.run_time_samples(%s, %s) AS s JOIN lineage.run r ON r.id = s.run",
        executions,
    ).fetchall()
    found = {(kind, run): (value, sorted(samples or [])) for kind, run, value, samples in times}
    assert found == expected_times(runs, asked)
    rows = conn.execute(
        "SELECT r.run_id, s.observed, s.samples"
        " FROM lineage.row_count_samples(%s, %s) AS s JOIN lineage.run r ON r.id = s.run",
        executions,
    ).fetchall()
    assert {run: (value, sorted(samples or [])) for run, value, samples in rows} == expected_rows(
        runs, asked
    )
