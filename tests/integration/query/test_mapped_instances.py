"""The instances of a mapped task are one execution: together they hide the earlier writes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import run_event, time

from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

DAY = 20_000


def instance(
    run: str, at: int, reads: str, flow: str, index: int | None = None, state: str = "COMPLETE"
) -> list[str]:
    """Return the events of an instance that writes its part of "all", and reports no mode."""
    airflow = {} if index is None else {"airflow": {"taskInstance": {"map_index": index}}}
    of_run = "load", (reads,), ("all",), (flow, "flow")
    return [
        run_event(run, "START", at, *of_run, **airflow),
        run_event(run, state, at + 30, *of_run, **airflow),
    ]


def days(*indexes: int | None) -> list[str]:
    """Return two days of three instances each, and of a report that reads what they wrote."""
    return [
        event
        for day in (1, 2)
        for event in (
            *(each for n, index in enumerate(indexes)
              for each in instance(f"{day}-{n}", day * DAY + n, f"in{n}", f"flow-{day}", index)),
            run_event(f"report-{day}", "COMPLETE", day * DAY + 99, "report", ("all",), ("out",),
                      (f"flow-{day}", "flow")),
        )
    ]  # fmt: skip


def writers(conn: Connection, run: str) -> set[str]:
    """Return the runs whose writes of "all" a run read, from either side and as of its time."""
    graph = Graph.over(conn)
    upstream = {
        each.writer.run_id for each in graph.run_lineage(run).dependencies
        if each.dataset.name == "all" and each.writer
    }  # fmt: skip
    every = [id for (id,) in conn.execute("SELECT run_id FROM lineage.run").fetchall()]
    downstream = {
        id for id in every
        for each in graph.run_lineage(id, "downstream", 1).dependencies
        if each.reader and each.reader.run_id == run and each.dataset.name == "all"
    }  # fmt: skip
    steps = [s for s in graph.run_steps(run).steps if s.dataset.name == "all"]
    assert upstream == downstream
    assert [step.runs for step in steps] == [len(upstream)]
    return upstream


@pytest.mark.parametrize("indexes", [(None, None, None), (0, 1, 2)])
def test_a_read_sees_all_instances_of_the_newest_execution(
    conn: Connection, indexes: tuple[int | None, ...]
) -> None:
    write_events(conn, days(*indexes))
    assert writers(conn, "report-2") == {"2-0", "2-1", "2-2"}
    assert writers(conn, "report-1") == {"1-0", "1-1", "1-2"}
    graph = Graph.over(conn)
    assert {s.dataset.name for s in graph.run_steps("report-2").steps} == {
        "all", "in0", "in1", "in2"
    }  # fmt: skip
    [step] = [s for s in graph.run_steps("report-2").steps if s.dataset.name == "all"]
    assert step.perhaps == 3  # those of the day before
    at = graph.dataset_lineage_at("all", time(2 * DAY + 98)).dependencies
    assert {each.dataset.name for each in at} == {"all", "in0", "in1", "in2"}


def test_the_failed_source_of_each_instance_is_a_cause(conn: Connection) -> None:
    write_events(conn, [
        *(run_event(f"feed{n}-{day}", "COMPLETE" if day == 1 else "FAIL", day * DAY - 50,
                    f"feed{n}", (f"raw{n}",), (f"in{n}",))
          for n in (0, 2) for day in (1, 2)),
        *days(None, None, None),
    ])  # fmt: skip
    found = Graph.over(conn).root_cause("report-2").causes
    assert {(c.fault, c.run.run_id) for c in found if c.kind == "stale input"} == {
        ("failed", "feed0-2"), ("failed", "feed2-2")
    }  # fmt: skip


@pytest.mark.parametrize("index", [None, 0])
def test_a_later_attempt_hides_the_one_before_it(conn: Connection, index: int | None) -> None:
    """The first attempt of the first instance succeeded, and was run again before the read."""
    second = None if index is None else 1
    write_events(conn, [
        *instance("first", DAY, "in0", "flow-1", index),
        *instance("again", DAY + 40, "in0", "flow-1", index),
        *instance("other", DAY + 45, "in1", "flow-1", second),
        run_event("report", "COMPLETE", DAY + 99, "report", ("all",), ("out",)),
    ])  # fmt: skip
    assert writers(conn, "report") == {"again", "other"}


def test_the_cause_of_an_attempt_that_was_repeated_is_none(conn: Connection) -> None:
    """The source failed; then it and the instance were run again, without an error."""
    write_events(conn, [
        run_event("feed-1", "COMPLETE", 10, "feed", ("raw",), ("in0",)),
        run_event("feed-2", "FAIL", DAY - 10, "feed", ("raw",), ("in0",)),
        *instance("first", DAY, "in0", "flow-1"),
        run_event("feed-3", "COMPLETE", DAY + 35, "feed", ("raw",), ("in0",)),
        *instance("again", DAY + 40, "in0", "flow-1"),
        *instance("other", DAY + 45, "in1", "flow-1"),
        run_event("report", "COMPLETE", DAY + 99, "report", ("all",), ("out",)),
    ])  # fmt: skip
    assert Graph.over(conn).root_cause("report").causes == ()


def test_an_execution_at_the_same_time_is_hidden_as_a_whole(conn: Connection) -> None:
    """The instances of two flows run in turns; those of the second are the last."""
    write_events(conn, [
        *instance("a0", DAY, "in0", "flow-a"), *instance("b0", DAY + 1, "in0", "flow-b"),
        *instance("a1", DAY + 2, "in1", "flow-a"), *instance("b1", DAY + 3, "in1", "flow-b"),
        run_event("report", "COMPLETE", DAY + 99, "report", ("all",), ("out",)),
    ])  # fmt: skip
    assert writers(conn, "report") == {"b0", "b1"}


def test_flows_of_one_run_each_hide_one_another(conn: Connection) -> None:
    write_events(conn, [
        *instance("a", DAY, "in0", "flow-a"), *instance("b", DAY + 1, "in1", "flow-b"),
        run_event("report", "COMPLETE", DAY + 99, "report", ("all",), ("out",)),
    ])  # fmt: skip
    assert writers(conn, "report") == {"b"}


def test_siblings_of_a_write_are_determined_only_for_its_execution(
    conn: Connection,
) -> None:
    """A determination for each later read would take a time that grows with the number of runs."""
    often = [
        event
        for n in range(20)
        for event in (
            *instance(f"load-{n}", n * 600, "in", f"flow-{n}"),
            run_event(f"report-{n}", "COMPLETE", n * 600 + 99, "report", ("all",), ("out",)),
        )
    ]
    write_events(conn, often)
    asked = "SELECT calls FROM pg_stat_xact_user_functions WHERE funcname = 'writes_of_siblings'"
    with conn.transaction():
        conn.execute("SET LOCAL track_functions = 'all'")
        found = Graph.over(conn).run_steps("load-3", "downstream")
        calls = conn.execute(asked).fetchall()
    assert [(s.dataset.name, s.runs, s.perhaps) for s in found.steps] == [("all", 1, 16)]
    assert calls == []
