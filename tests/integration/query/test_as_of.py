"""Neighbours and subgraphs as of a time: the graph of the events until then."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.events.builders import dataset, derived, events, job_event, run_event, time
from support.properties import examples_in_one_database
from support.reference.graph import clear

from lineage.errors import UsageError
from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.edges_as_of import _SELECT_RUNS
from lineage.query.filters import Filters
from lineage.query.session import Session

if TYPE_CHECKING:
    import psycopg

    from lineage.query.neighbours import GraphNode, Neighbours
    from lineage.query.records import Edge
    from lineage.query.subgraph import Subgraph

    Connection = psycopg.Connection[Any]

NAMES = "SELECT lineage.full_name(namespace, name) FROM lineage.dataset WHERE id = canonical"
FEEDS = """
SELECT source, target, job, runs, lineage.iso8601(last_seen) FROM lineage.feeds
ORDER BY source, target, job
"""
FULL_NAMES = [f"s3://lake/{name}" for name in "abcde"]


def at(second: int) -> str:
    """Return a time as records have it."""
    return time(second).replace("Z", ".000000Z")


def shown(edge: Edge) -> tuple[Any, ...]:
    job = edge.job and edge.job.name
    return (edge.source.name, edge.target.name, job, edge.runs, edge.first_seen, edge.last_seen,
            edge.stale, edge.declared)  # fmt: skip


def state_of_job(edge: Edge) -> tuple[str | None, str | None]:
    """Return the job of an edge and the state of its latest run; a run that started is running."""
    state = edge.last_run.state if edge.last_run else None
    return edge.job.name if edge.job else None, "RUNNING" if state == "START" else state


def written(node: GraphNode) -> tuple[Any, ...]:
    state = "RUNNING" if node.state == "START" else node.state
    return node.dataset.name, state, node.written_at, node.rows


def test_an_edge_exists_from_its_first_run_on(provenance: Graph) -> None:
    before = provenance.neighbours("silver/orders", time=time(29))
    assert [node.dataset.name for node in before.nodes] == ["raw/orders"]
    after = provenance.neighbours("silver/orders", time=time(30))
    assert [node.dataset.name for node in after.nodes] == ["raw/orders", "gold/revenue"]
    assert [(n.upstream, n.downstream) for n in (after.root, *after.nodes)] == [
        (1, 1),
        (0, 1),
        (2, 0),  # gold/dashboard is published later
    ]
    assert provenance.neighbours("silver/orders", time=time(9)).nodes == ()


def test_runs_staleness_and_writes_are_as_of_the_time(provenance: Graph) -> None:
    then = provenance.neighbours("gold/revenue", "upstream", time=time(45))
    assert [shown(edge) for edge in then.edges] == [
        ("silver/orders", "gold/revenue", "report", 1, at(30), at(40), False, False),
        ("silver/rates", "gold/revenue", "report", 1, at(30), at(40), False, False),
    ]
    assert written(then.root) == ("gold/revenue", "COMPLETE", at(40), 7)
    later = provenance.neighbours("gold/revenue", "upstream", time=time(50))
    assert [(shown(edge)[0], edge.runs, edge.stale) for edge in later.edges] == [
        ("silver/orders", 2, False),
        ("silver/rates", 1, True),
    ]


def test_a_run_that_had_not_ended_was_running(conn: Connection) -> None:
    table = dataset("b", outputFacets={"outputStatistics": {"rowCount": 7}})
    write_events(
        conn,
        [
            run_event("r", "START", 2, "j", ("a",), ("b",)),
            run_event("r", "COMPLETE", 8, "j", ("a",), (table,)),
        ],
    )
    found = Graph.over(conn).neighbours("b", time=time(5))
    assert written(found.root) == ("b", "RUNNING", at(2), None)
    [edge] = found.edges
    assert (edge.runs, edge.last_seen, edge.stale) == (1, at(2), False)
    assert edge.last_run is not None
    assert (edge.last_run.state, edge.last_run.ended_at) == ("RUNNING", None)


def test_a_job_without_a_run_has_no_state(conn: Connection) -> None:
    write_events(conn, [job_event(2, "j", ("a",), ("b",))])
    [edge] = Graph.over(conn).neighbours("b", time=time(3)).edges
    assert edge.last_run is None


def test_a_design_is_declared_until_a_run_shows_it(conn: Connection) -> None:
    write_events(
        conn,
        [job_event(2, "j", ("a",), ("b",)), run_event("r", "COMPLETE", 5, "j", ("a",), ("b",))],
    )
    graph = Graph.over(conn)
    edges = [graph.subgraph(["a", "b"], time=time(t)).edges for t in (1, 3, 5)]
    assert [[(e.runs, e.declared) for e in each] for each in edges] == [
        [],
        [(0, True)],
        [(1, True)],
    ]
    assert graph.neighbours("b", filters=Filters(observed=True), time=time(3)).nodes == ()


def test_edges_between_columns_exist_from_their_first_run_on(conn: Connection) -> None:
    table = dataset("b", columnLineage=derived(("y", "a", "x")))
    write_events(
        conn,
        [run_event(f"r{t}", "COMPLETE", t, "j", ("a",), (table,)) for t in (3, 6)],
    )
    graph = Graph.over(conn)

    def column_edges(second: int) -> list[tuple[Any, ...]]:
        edges = graph.subgraph(["a", "b"], ["a", "b"], time=time(second)).column_edges
        return [(e.source.name, e.target.name, e.runs, e.last_seen) for e in edges]

    assert column_edges(2) == []
    assert column_edges(4) == [("x", "y", None, None)]  # a later run showed it too
    assert column_edges(6) == [("x", "y", 2, at(6))]


def test_filters_by_time_are_rejected_beside_a_time(provenance: Graph) -> None:
    for filters in (Filters(since=time(3)), Filters(stale=False)):
        with pytest.raises(UsageError, match="cannot be combined"):
            provenance.neighbours("gold/revenue", filters=filters, time=time(50))
    with pytest.raises(UsageError, match="yesterday"):
        provenance.subgraph(["gold/revenue"], time="yesterday")


# job, start, duration (0: one event), final state, inputs, outputs
RUNS = st.lists(
    st.tuples(
        st.sampled_from("xy"),
        st.integers(0, 8),
        st.integers(0, 4),
        st.sampled_from(["COMPLETE", "COMPLETE", "FAIL", "RUNNING"]),
        st.sets(st.sampled_from("abcde"), max_size=3).map(sorted),
        st.sets(st.sampled_from("abcde"), max_size=2).map(sorted),
    ),
    min_size=1,
    max_size=8,
)


def events_of(number: int, run: Any) -> list[str]:
    job, start, duration, state, reads, writes = run
    ends = [("START", start)] * (duration > 0) + [(state, start + duration)]
    tables = [
        dataset(name, outputFacets={"outputStatistics": {"rowCount": number}}) for name in writes
    ]
    return [
        run_event(f"r{number}", each, second, job, tuple(reads),
                  tuple(tables if second == start + duration else writes))
        for each, second in ends
    ]  # fmt: skip


def until(log: list[str], second: int) -> list[str]:
    return [event for event in log if json.loads(event)["eventTime"] <= time(second)]


@examples_in_one_database(60)
@given(runs=RUNS, second=st.integers(0, 12))
def test_the_answer_is_that_of_the_events_until_then(
    conn: Connection, runs: list[Any], second: int
) -> None:
    """A run that failed later is no run of an edge; only states of writes and jobs know it."""
    graph = Graph.over(conn)

    def answers(log: list[str], as_of: str | None) -> tuple[Subgraph, list[Neighbours]]:
        clear(conn)
        names = [run_event("all", "COMPLETE", 0, "all", tuple("abcde"))]  # so that all have a name
        jobs = [run_event(f"all-{job}", "OTHER", 0, job) for job in "xy"]
        write_events(conn, [*names, *jobs, *log])
        subgraph = graph.subgraph(FULL_NAMES, time=as_of)
        return subgraph, [graph.neighbours(name, time=as_of) for name in FULL_NAMES]

    history = [events_of(number, run) for number, run in enumerate(runs)]
    every = [event for told in history for event in told]
    good = [
        event for told, run in zip(history, runs, strict=True) for event in told if run[3] != "FAIL"
    ]
    then, neighbours = answers(every, time(second))
    with_failed, _ = answers(until(every, second), None)
    fresh, fresh_neighbours = answers(until(good, second), None)

    assert [shown(edge) for edge in then.edges] == [shown(edge) for edge in fresh.edges]
    counts = [(n.upstream, n.downstream) for n in fresh.nodes]
    assert [(n.upstream, n.downstream) for n in then.nodes] == counts
    assert list(map(written, then.nodes)) == list(map(written, with_failed.nodes))
    states = {state_of_job(edge) for edge in with_failed.edges}
    assert {state_of_job(edge) for edge in then.edges} <= states
    for one, other in zip(neighbours, fresh_neighbours, strict=True):
        assert {n.dataset.name for n in one.nodes} == {n.dataset.name for n in other.nodes}
        assert sorted(map(shown, one.edges)) == sorted(map(shown, other.edges))


@examples_in_one_database(40)
@given(log=st.lists(events, min_size=1, max_size=8))
def test_as_of_the_end_the_answer_is_the_present_one(conn: Connection, log: list[str]) -> None:
    clear(conn)
    write_events(conn, log)
    graph = Graph.over(conn)
    names = [name for (name,) in conn.execute(NAMES)]
    now, then = graph.subgraph(names, names), graph.subgraph(names, names, time="9000-01-01")
    assert then.edges == now.edges
    assert then.column_edges == now.column_edges
    for one, other in zip(then.nodes, now.nodes, strict=True):
        assert replace(one, columns=other.columns) == other
    for name in names:
        assert graph.neighbours(name, time="9000-01-01").edges == graph.neighbours(name).edges


@examples_in_one_database(40)
@given(log=st.lists(events, min_size=1, max_size=8))
def test_the_runs_of_an_edge_are_those_of_its_summary(conn: Connection, log: list[str]) -> None:
    """Aliases and lineage facets decide which runs show an edge, as in the projection."""
    clear(conn)
    write_events(conn, log)
    edges = conn.execute(FEEDS).fetchall()
    sources, targets, jobs = ([edge[n] for edge in edges] for n in range(3))
    found = Session.over(conn).fetch(
        _SELECT_RUNS, sources=sources, targets=targets, jobs=jobs, time="infinity"
    )
    assert sorted(map(tuple, found)) == edges
