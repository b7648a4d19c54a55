"""Job dependencies of the facets jobDependencies and lineage in job lineage."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from support.events.builders import JOBS, entries, job_event, run_event
from support.reference.graph import clear

from lineage.ingest.writer import write_events
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.query import Graph
from lineage.query.filters import Filters

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]


def after(*upstream: str, then: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a jobDependencies facet."""
    return {
        "upstream": [{"job": {"namespace": JOBS, "name": name}} for name in upstream],
        "downstream": [{"job": {"namespace": JOBS, "name": name}} for name in then],
    }


# load writes raw, which clean reads; report runs after clean, and mail after report.
EVENTS = [
    run_event("r1", "COMPLETE", 1, "load", writes=("raw",)),
    run_event("r2", "COMPLETE", 2, "clean", reads=("raw",), writes=("silver",)),
    run_event("r3", "START", 3, "report", jobDependencies=after("clean", then=("mail",))),
    run_event("r4", "COMPLETE", 9, "report", jobDependencies=after("clean")),
]


def steps(graph: Graph, name: str, direction: Any, **given: Any) -> list[Any]:
    trace = graph.job_lineage(name, direction, **given)
    return [
        (e.source and e.source.name, e.dataset and e.dataset.name, e.target and e.target.name)
        for e in trace.edges
    ]


def test_a_trace_of_jobs_passes_dependencies(conn: Connection) -> None:
    write_events(conn, EVENTS)
    graph = Graph.over(conn)
    assert steps(graph, "mail", "upstream") == [
        ("report", None, "mail"), ("clean", None, "report"), ("load", "raw", "clean"),
    ]  # fmt: skip
    assert steps(graph, "load", "downstream") == [
        ("load", "raw", "clean"), ("clean", None, "report"), ("report", None, "mail"),
    ]  # fmt: skip
    assert steps(graph, "mail", "upstream", depth=1) == [("report", None, "mail")]


def test_a_trace_of_jobs_passes_jobs_that_feed_jobs(conn: Connection) -> None:
    """Data passed in memory: examples 9 and 10 of OpenLineage's explicit lineage."""
    upstream = {"type": "JOB", "namespace": JOBS, "name": "extract"}
    events = [
        run_event("r1", "COMPLETE", 1, "extract", reads=("raw",)),
        run_event("r2", "COMPLETE", 2, "load", (), ("out",), of_job={"lineage": entries(upstream)}),
        job_event(3, "dag", lineage=entries(others={"mail": [{**upstream, "name": "load"}]})),
    ]  # fmt: skip
    write_events(conn, events)
    assert steps(Graph.over(conn), "mail", "upstream") == [
        ("load", None, "mail"), ("extract", None, "load"),
    ]  # fmt: skip


def test_observed_passes_data_alone(conn: Connection) -> None:
    write_events(conn, EVENTS)
    graph = Graph.over(conn)
    data = Filters(observed=True)
    assert steps(graph, "mail", "upstream", filters=data) == []
    assert steps(graph, "load", "downstream", filters=data) == [("load", "raw", "clean")]


def test_the_time_of_the_last_report_is_returned(conn: Connection) -> None:
    write_events(conn, EVENTS)
    [edge] = Graph.over(conn).job_lineage("report", "upstream", depth=1).edges
    assert edge.depended == edge.last_seen == "2026-01-01T00:00:09.000000Z"
    assert not edge.stale
    rows = conn.execute(
        "SELECT source, dataset, target, depended IS NOT NULL FROM lineage.job_lineage('report')"
    ).fetchall()
    assert rows[0] == ("clean", None, "report", True)


def test_any_order_and_a_rebuild_give_the_same(conn: Connection) -> None:
    found = set()
    for order in itertools.permutations(EVENTS):
        clear(conn)
        write_events(conn, [*order, order[0]], 2)
        rows = conn.execute(
            "SELECT u.name, d.name, lineage.iso8601(x.first_seen), lineage.iso8601(x.last_seen)"
            " FROM lineage.job_dependency x JOIN lineage.job u ON u.id = x.upstream"
            " JOIN lineage.job d ON d.id = x.downstream ORDER BY 1, 2"
        ).fetchall()
        found.add((tuple(rows), graph_fingerprint(conn)))
    assert len(found) == 1
    rebuild_graph(conn)
    assert conn.execute("SELECT count(*) FROM lineage.job_dependency").fetchall() == [(2,)]


def test_an_odd_facet_stops_nothing(conn: Connection) -> None:
    odd: list[Any] = [3, {"upstream": 3}, {"upstream": [3, {"job": 4}, {"job": {"name": "x"}}]},
                      {"upstream": [{"job": {"namespace": JOBS, "name": "job"}}]}]  # fmt: skip
    write_events(conn, [run_event(f"r{n}", "COMPLETE", n, jobDependencies=each)
                 for n, each in enumerate(odd)])  # fmt: skip
    assert conn.execute("SELECT count(*) FROM lineage.job_dependency").fetchall() == [(0,)]
