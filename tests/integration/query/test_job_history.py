"""The newest runs of a job, with the durations and rows expected of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import dataset, run_event, time
from support.properties import examples_in_one_database
from support.reference.graph import clear

from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

STREAM = {"jobType": {"processingType": "STREAMING", "integration": "SPARK"}}


def daily(n: int, seconds: int, rows: int | None, state: str = "COMPLETE") -> list[str]:
    """Return the events of the n-th run of a job that writes two datasets."""
    statistics = {} if rows is None else {"outputStatistics": {"rowCount": rows}}
    written = (dataset("a", outputFacets=statistics), "b")
    return [
        run_event(f"r{n:02}", "START", 3000 * n, "load"),
        run_event(f"r{n:02}", state, 3000 * n + seconds, "load", (), written),
    ]


def test_a_run_is_compared_with_the_runs_before_it(conn: Connection) -> None:
    days = [(100, 1000), (110, 1010), (90, 990), (100, 1000), (105, 995), (300, 0)]
    write_events(conn, [e for n, day in enumerate(days) for e in daily(n, *day)])
    history = Graph.over(conn).job_history("load")
    assert history.job.name == "load"
    assert [each.run.run_id for each in history.runs] == [f"r{n:02}" for n in range(5, -1, -1)]
    newest, *older = history.runs
    # Median 100 s: at least 60 s more or less are usual. Half of the median of 1,000 rows is.
    assert (newest.duration, newest.expected) == (300, (40, 160))
    rows, unknown = newest.outputs
    assert (rows.dataset.name, rows.rows, rows.expected) == ("a", 0, (500, 1500))
    assert (unknown.dataset.name, unknown.rows, unknown.expected) == ("b", None, None)
    assert [each.expected for each in older] == [None] * 5  # fewer than five runs before them
    assert len(Graph.over(conn).job_history("load", 2).runs) == 2


def test_a_running_run_has_no_duration_but_an_expected_one(conn: Connection) -> None:
    write_events(conn, [e for n in range(5) for e in daily(n, 400, None)])
    write_events(conn, [run_event("now", "START", 9 * 3000, "load")])
    newest = Graph.over(conn).job_history("load").runs[0]
    assert (newest.duration, newest.expected, newest.outputs) == (None, (200, 600), ())


def test_nothing_is_expected_of_a_stream(conn: Connection) -> None:
    for n in range(7):
        write_events(conn, [
            run_event(f"s{n}", "START", 100 * n, "s", of_job=STREAM),
            run_event(f"s{n}", "COMPLETE", 100 * n + 50, "s", (),
                      (dataset("a", outputFacets={"outputStatistics": {"rowCount": 5}}),)),
        ])  # fmt: skip
    newest = Graph.over(conn).job_history("s").runs[0]
    assert (newest.duration, newest.expected) == (50, None)
    assert [(each.rows, each.expected) for each in newest.outputs] == [(5, None)]


def test_a_job_that_is_not_there_is_reported(conn: Connection) -> None:
    write_events(conn, daily(1, 1, 1))
    with pytest.raises(NotFound, match="lode"):
        Graph.over(conn).job_history("lode")


@examples_in_one_database(30)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 400),
            st.none() | st.integers(0, 60),
            st.sampled_from(["COMPLETE", "COMPLETE", "COMPLETE", "FAIL"]),
        ),
        min_size=4,
        max_size=26,
    )
)
def test_what_is_outside_of_the_range_is_a_root_cause(
    conn: Connection, days: list[tuple[int, int | None, str]]
) -> None:
    """A run longer than expected took long, and fewer rows than expected are few rows."""
    clear(conn)
    write_events(conn, [e for n, day in enumerate(days) for e in daily(n, *day)])
    graph = Graph.over(conn)
    for figures in graph.job_history("load").runs:
        unusual = set()
        if figures.expected and figures.duration and figures.duration > figures.expected[1]:
            unusual.add("took long")
        for output in figures.outputs:
            if output.expected and output.rows is not None and output.rows < output.expected[0]:
                unusual.add("few rows")
        causes = {cause.kind for cause in graph.root_cause(figures.run.run_id, 0).causes}
        assert unusual == causes & {"took long", "few rows"}
        assert figures.run.started_at == time(3000 * int(figures.run.run_id[1:]))[:-1] + ".000000Z"
