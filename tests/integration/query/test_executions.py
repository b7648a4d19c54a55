"""Runs of one job that share a parent run are one execution: their edges and their writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, run_event

from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.filters import Filters

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

FRESH = Filters(stale=False)


def flow(run: str, at: int, *, reported: bool = True) -> list[str]:
    """Return the events of a parent run, if it reports its own: its runs begin after them."""
    return [run_event(run, "START", at, "flow")] if reported else []


def stale(graph: Graph, target: str) -> dict[str, bool]:
    """Return whether each edge to a dataset is stale, by its source; SQL agrees."""
    edges = {e.source.name: e.stale for e in graph.upstream(target, 1).edges}
    near = {e.source.name: e.stale for e in graph.neighbours(target, "upstream").edges}
    fresh = {e.source.name for e in graph.upstream(target, 1, FRESH).edges}
    near_fresh = {e.source.name for e in graph.neighbours(target, "upstream", filters=FRESH).edges}
    assert edges == near
    assert fresh == near_fresh == {source for source, is_stale in edges.items() if not is_stale}
    return edges


def test_a_job_that_writes_another_dataset_makes_nothing_stale(conn: Connection) -> None:
    """All queries of a user have one job, and no parent."""
    graph = Graph.over(conn)
    write_events(
        conn,
        [run_event(f"{d}{t}", "COMPLETE", d * 10 + n, "user", (f"raw_{t}",), (f"mart_{t}",))
         for d in range(1, 4) for n, t in enumerate("abc")],
    )  # fmt: skip
    for table in "abc":
        assert stale(graph, f"mart_{table}") == {f"raw_{table}": False}
        rows = "SELECT stale FROM lineage.dataset_lineage_edges(%s)"
        assert conn.execute(rows, [f"mart_{table}"]).fetchall() == [(False,)]
        [step] = graph.job_lineage(f"mart_{table}").edges
        assert not step.stale


@pytest.mark.parametrize("reported", [True, False])
def test_the_instances_of_a_task_are_one_run_of_its_job(conn: Connection, reported: bool) -> None:
    """The instances write one table; the last day has no instance for "c"."""
    graph = Graph.over(conn)
    write_events(conn, [
        event
        for day, regions in ((0, "abc"), (20, "abc"), (40, "ab"))
        for event in (
            *flow(f"flow-{day}", day, reported=reported),
            *(run_event(f"{day}-{region}", "COMPLETE", day + 2 + n, "load", (region,), ("orders",),
                        (f"flow-{day}", "flow"))
              for n, region in enumerate(regions)),
        )
    ])  # fmt: skip
    assert stale(graph, "orders") == {"a": False, "b": False, "c": True}
    then = graph.neighbours("orders", "upstream", time="2026-01-01T00:00:30Z")
    assert not any(edge.stale for edge in then.edges)


def test_a_run_without_the_parent_is_an_execution_of_its_own(conn: Connection) -> None:
    graph = Graph.over(conn)
    write_events(conn, [
        *flow("flow-1", 0),
        run_event("a", "COMPLETE", 2, "load", ("a",), ("orders",), ("flow-1", "flow")),
        run_event("b", "COMPLETE", 3, "load", ("b",), ("orders",), ("flow-1", "flow")),
        run_event("by hand", "COMPLETE", 9, "load", ("b",), ("orders",)),
    ])  # fmt: skip
    assert stale(graph, "orders") == {"a": True, "b": False}


def test_a_change_that_writes_no_rows_makes_nothing_stale(conn: Connection) -> None:
    """All statements of a user have one job."""
    altered = dataset("mart", lifecycleStateChange={"lifecycleStateChange": "ALTER"})
    graph = Graph.over(conn)
    write_events(conn, [
        run_event("r1", "COMPLETE", 1, "user", ("raw",), ("mart",)),
        run_event("r2", "COMPLETE", 2, "user", (), (altered,)),
    ])  # fmt: skip
    assert stale(graph, "mart") == {"raw": False}


def test_a_step_is_stale_if_all_that_its_job_made_of_the_dataset_is_rewritten(
    conn: Connection,
) -> None:
    graph = Graph.over(conn)
    write_events(conn, [
        run_event("w", "COMPLETE", 0, "land", (), ("raw",)),
        run_event("r1", "COMPLETE", 1, "user", ("raw",), ("one",)),
        run_event("r2", "COMPLETE", 2, "user", ("raw",), ("two",)),
        run_event("r3", "COMPLETE", 3, "user", ("other",), ("one",)),
    ])  # fmt: skip
    [step] = graph.job_lineage("land", "downstream").edges
    assert not step.stale
    write_events(conn, [run_event("r4", "COMPLETE", 4, "user", ("other",), ("two",))])
    [step] = graph.job_lineage("land", "downstream").edges
    assert step.stale


def load(run: str, at: int, flow: str | None, *, table: str = "orders", **facets: Any) -> str:
    """Return an event of a run that wrote a table and reported no mode."""
    written = dataset(table, **facets)
    parent = (flow, "flow") if flow else None
    return run_event(run, "COMPLETE", at, "load", (f"file-{run}",), (written,), parent)


def writers(conn: Connection, run: str) -> tuple[set[str], int]:
    """Return the runs that wrote what a run read, and the number of those that perhaps did too.

    That a run is downstream of another is the inverse.
    """
    graph = Graph.over(conn)
    read = [each for each in graph.run_lineage(run, depth=1).dependencies if each.writer]
    wrote = {each.writer.run_id for each in read if each.writer}
    [step] = graph.run_steps(run, depth=1).steps
    assert (step.runs, len(read)) == (len(wrote), len(wrote))
    runs = [id for (id,) in conn.execute("SELECT run_id FROM lineage.run").fetchall()]
    assert wrote == {each for each in runs if run in readers(graph, each)}
    return wrote, step.perhaps


def readers(graph: Graph, run: str) -> set[str]:
    """Return the runs downstream of a run."""
    below = graph.run_lineage(run, "downstream").dependencies
    return {each.reader.run_id for each in below if each.reader}


def test_a_read_saw_the_writes_of_all_runs_of_an_execution(conn: Connection) -> None:
    write_events(conn, [
        *flow("flow-1", 0), load("a1", 2, "flow-1"), load("b1", 3, "flow-1"),
        *flow("flow-2", 10), load("a2", 12, "flow-2"), load("b2", 13, "flow-2"),
        run_event("report", "COMPLETE", 20, "report", ("orders",), ("out",)),
    ])  # fmt: skip
    assert writers(conn, "report") == ({"a2", "b2"}, 2)


def test_executions_that_overlap_stand_or_fall_as_a_whole(conn: Connection) -> None:
    """The execution with the newest write hides the other, whose writes lie between its own."""
    write_events(conn, [
        *flow("flow-1", 0), *flow("flow-2", 1),
        load("a1", 2, "flow-1"), load("a2", 3, "flow-2"),
        load("b2", 4, "flow-2"), load("b1", 5, "flow-1"),
        run_event("report", "COMPLETE", 20, "report", ("orders",), ("out",)),
    ])  # fmt: skip
    assert writers(conn, "report") == ({"a1", "b1"}, 2)


def test_an_overwrite_hides_the_earlier_writes_of_its_execution(conn: Connection) -> None:
    replaced = {"lifecycleStateChange": {"lifecycleStateChange": "OVERWRITE"}}
    write_events(conn, [
        *flow("flow-1", 0), load("a", 2, "flow-1"), load("b", 3, "flow-1", **replaced),
        load("c", 4, "flow-1"),
        run_event("report", "COMPLETE", 20, "report", ("orders",), ("out",)),
    ])  # fmt: skip
    assert writers(conn, "report") == ({"b", "c"}, 0)


def test_runs_without_a_parent_hide_each_other(conn: Connection) -> None:
    write_events(conn, [
        load("a", 2, None), load("b", 3, None),
        run_event("report", "COMPLETE", 20, "report", ("orders",), ("out",)),
    ])  # fmt: skip
    assert writers(conn, "report") == ({"b"}, 1)
