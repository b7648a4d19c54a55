"""Runs of one job that share a parent run are one execution: what it no longer reads is stale."""

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


def test_a_step_is_stale_if_all_derived_outputs_of_its_job_are_rewritten(
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


def test_a_server_that_stays_up_does_not_make_one_execution_of_all_runs(conn: Connection) -> None:
    """An application runs the job every 40 minutes; from the seventh run on it reads "new"."""
    write_events(conn, [
        run_event(f"r{n}", "COMPLETE", n * 2400, "query", ("old",) if n < 6 else ("new",), ("t",),
                  ("server", "server"))
        for n in range(30)
    ])  # fmt: skip
    graph = Graph.over(conn)
    assert stale(graph, "t") == {"old": True, "new": False}
    late = graph.overdue_jobs("2026-01-02T12:00:00Z").jobs
    assert "query" in [each.job.name for each in late]
    assert graph.overdue_jobs("2026-01-01T19:50:00Z").jobs == ()
