"""Run lineage of daily jobs without a write mode: one step per pair of jobs, and possible runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, run_event, time

from lineage import export
from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

DAYS = 30
TABLES = 5
DAY = 100
END = time(DAYS * DAY)
APPENDED = {"outputFacets": {"lineage_write": {"mode": "append"}}}


@pytest.fixture
def chain(conn: Connection) -> Graph:
    """Write table 1 from table 0, table 2 from table 1 and so on, each day, by one job each."""
    events = []
    for day in range(DAYS):
        for n in range(1, TABLES + 1):
            run, at = f"d{day:02}-t{n}", day * DAY + 10 * n
            events.append(run_event(run, "START", at, f"task{n}", (f"t{n - 1}",)))
            events.append(run_event(run, "COMPLETE", at + 5, f"task{n}", (), (f"t{n}",)))
    write_events(conn, events)
    return Graph.over(conn)


def test_a_chain_of_tables_has_a_step_for_each_and_counts_what_may_be_there(
    chain: Graph,
) -> None:
    found = chain.dataset_steps_at("t5", END)
    *steps, source = found.steps
    last = [f"d{DAYS - 1:02}-t{n}" for n in (5, 4, 3, 2, 1)]
    assert [step.writer and step.writer.name for step in steps] == [
        "task5", "task4", "task3", "task2", "task1",
    ]  # fmt: skip
    assert [(step.runs, step.run and step.run.run_id) for step in steps] == [(1, r) for r in last]
    assert [step.perhaps for step in steps] == [DAYS - 1] * TABLES
    assert steps[0].since == "2026-01-01T00:00:55.000000Z"
    assert (source.dataset.name, source.writer, source.runs) == ("t0", None, 0)
    assert (found.omitted, found.perhaps) == (0, False)
    # The path of single runs has the same length.
    assert [
        link.writer and link.writer.run_id
        for link in chain.dataset_lineage_at("t5", END).dependencies
    ] == [
        *last,
        None,
    ]


def test_perhaps_goes_by_all_of_them_and_is_as_many_steps(chain: Graph) -> None:
    found = chain.dataset_steps_at("t5", END, perhaps=True)
    assert [(step.runs, step.perhaps) for step in found.steps] == [(DAYS, 0)] * TABLES + [(0, 0)]
    first, last = found.steps[0].first, found.steps[0].last
    assert (first, last) == ("2026-01-01T00:00:55.000000Z", "2026-01-01T00:49:15.000000Z")


def test_readers_include_those_that_may_have_read_it_later(chain: Graph) -> None:
    found = chain.run_steps("d00-t1", "downstream")
    assert [step.reader and step.reader.name for step in found.steps] == [
        f"task{n}" for n in (2, 3, 4, 5)
    ]
    assert {(step.runs, step.perhaps) for step in found.steps} == {(1, DAYS - 1)}
    assert [step.run and step.run.run_id for step in found.steps] == [
        f"d00-t{n}" for n in (2, 3, 4, 5)
    ]
    links = chain.run_lineage("d00-t1", "downstream").dependencies
    assert [link.reader and link.reader.run_id for link in links] == [
        f"d00-t{n}" for n in (2, 3, 4, 5)
    ]


def test_an_append_once_makes_perhaps_sure(chain: Graph, conn: Connection) -> None:
    table = dataset("t5", **APPENDED)
    write_events(conn, [run_event("late", "COMPLETE", DAYS * DAY + 50, "task5", ("t4",), (table,))])
    [step, *_] = chain.dataset_steps_at("t5", END).steps
    assert (step.runs, step.perhaps) == (DAYS, 0)


def test_what_a_limit_leaves_out_is_counted(chain: Graph) -> None:
    found = chain.dataset_steps_at("t5", END, limit=2)
    assert ([step.distance for step in found.steps], found.omitted) == ([1, 2], 4)
    links = chain.dataset_lineage_at("t5", END, limit=7, perhaps=True)
    # Each of the 30 runs of a job saw all runs of the previous job up to its day.
    pairs = DAYS + 4 * DAYS * (DAYS + 1) // 2 + DAYS
    assert (len(links.dependencies), links.omitted) == (7, pairs - 7)
    assert chain.run_steps("d00-t1", "downstream", limit=1).omitted == 3


def test_a_diff_reports_the_newest_runs_alone(chain: Graph) -> None:
    found = chain.dataset_diff("t5", time((DAYS - 1) * DAY), END)
    assert sorted((each.change, each.write.run.run_id) for each in found.writes) == [
        *(("added", f"d{DAYS - 1:02}-t{n}") for n in range(1, TABLES + 1)),
        *(("removed", f"d{DAYS - 2:02}-t{n}") for n in range(1, TABLES + 1)),
    ]


def test_root_causes_look_at_the_newest_runs(chain: Graph) -> None:
    assert chain.root_cause(f"d{DAYS - 1:02}-t5").looked_at == TABLES


def test_steps_are_rows_and_a_graph(chain: Graph) -> None:
    found = chain.dataset_steps_at("t5", END)
    [row, *_] = export.rows(found)
    assert (row["writer"], row["dataset"], row["perhaps"], row["omitted"]) == (
        "etl/task5", "s3://lake/t5", DAYS - 1, 0,
    )  # fmt: skip
    graph = export.graph(found)
    assert {(edge.source, edge.target) for edge in graph.edges} >= {
        ("etl/task5", "s3://lake/t5"),
        ("etl/task4", "etl/task5"),
        ("s3://lake/t0 (source)", "etl/task1"),
    }


def test_the_last_overwrite_is_determined_once_for_each_read(conn: Connection) -> None:
    """A check per write, which the planner could choose, would take days squared calls."""
    replaced = {"lifecycleStateChange": {"lifecycleStateChange": "OVERWRITE"}}
    events = []
    for day in range(DAYS):
        at = DAY * day
        refresh, add = (f"refresh-{day:02}", "refresh"), (f"add-{day:02}", "add")
        day_table, history = dataset("day", **replaced), dataset("history", **APPENDED)
        events += [
            run_event(refresh[0], "START", at, refresh[1], ("raw",)),
            run_event(refresh[0], "COMPLETE", at + 5, refresh[1], (), (day_table,)),
            run_event(add[0], "START", at + 10, add[1], ("day",)),
            run_event(add[0], "COMPLETE", at + 15, add[1], (), (history,)),
        ]
    events.append(run_event("report", "COMPLETE", DAYS * DAY, "report", ("history",), ("out",)))
    write_events(conn, events)
    asked = "SELECT calls FROM pg_stat_xact_user_functions WHERE funcname = 'hiding_write_time'"
    with conn.transaction():
        conn.execute("SET LOCAL track_functions = 'all'")
        found = Graph.over(conn).run_steps("report")
        (calls,) = conn.execute(asked).fetchall()[0]
    assert [(step.dataset.name, step.runs) for step in found.steps] == [
        ("history", DAYS), ("day", DAYS), ("raw", 0),
    ]  # fmt: skip
    # Each read of a day has two calls: for visible and for possibly visible writes.
    assert calls <= 2 * DAYS
