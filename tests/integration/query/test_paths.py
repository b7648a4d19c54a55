"""Paths from one dataset to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import NAMESPACE, events, run_event
from support.properties import examples_in_one_database
from support.reference.graph import clear
from support.reference.paths import between, shortest, steps

from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    from lineage.query.paths import Paths

    Connection = psycopg.Connection[Any]

SETTINGS = examples_in_one_database(40)


def told(found: Paths) -> set[tuple[str, str, str]]:
    """Return source, job and target of each edge."""
    return {(edge.source.name, edge.job.name, edge.target.name) for edge in found.edges}


def test_the_shortest_way_reports_jobs_and_runs(provenance: Graph) -> None:
    found = provenance.paths("raw/orders", "gold/revenue")
    assert (found.length, found.reverse) == (2, False)
    assert [(node.dataset.name, node.distance) for node in found.nodes] == [
        ("raw/orders", 0),
        ("silver/orders", 1),
        ("gold/revenue", 2),
    ]
    first, second = found.edges
    assert (first.source.name, first.job.name, first.target.name) == (
        "raw/orders", "clean", "silver/orders",
    )  # fmt: skip
    assert (second.job.name, second.runs, second.last_seen) == (
        "report", 2, "2026-01-01T00:00:50.000000Z",
    )  # fmt: skip
    assert (second.last_run.run_id, second.last_run.state) == ("report-2", "COMPLETE")


def test_where_none_leads_there_it_is_reported_which_leads_back(provenance: Graph) -> None:
    found = provenance.paths("gold/revenue", "raw/rates")
    assert (found.source.name, found.target.name) == ("gold/revenue", "raw/rates")
    assert (found.reverse, found.length) == (True, 2)
    assert told(found) == {
        ("raw/rates", "load", "silver/rates"),
        ("silver/rates", "report", "gold/revenue"),
    }


def test_an_edge_that_the_last_good_run_no_longer_produced_is_stale(provenance: Graph) -> None:
    found = provenance.paths("raw/rates", "gold/revenue")
    assert {edge.source.name: edge.stale for edge in found.edges} == {
        "raw/rates": False, "silver/rates": True,
    }  # fmt: skip


@pytest.mark.parametrize("every", [False, True])
def test_siblings_have_no_way_either_way(provenance: Graph, every: bool) -> None:
    found = provenance.paths("raw/orders", "raw/rates", all_paths=every)
    assert (found.length, found.reverse, found.nodes, found.edges) == (None, False, (), ())


def test_what_a_failed_run_was_to_make_is_on_no_way(provenance: Graph) -> None:
    assert provenance.paths("raw/orders", "gold/fraud").length is None


def test_a_name_that_is_none_is_reported(provenance: Graph) -> None:
    with pytest.raises(NotFound, match='No dataset is called "gold/profit"'):
        provenance.paths("raw/orders", "gold/profit")


# a ─ j1 ─▶ b ─ j2 ─▶ d ─ j3 ─▶ e, a ─ j1 ─▶ c ─ j2 ─▶ d, e ─ back ─▶ d, and a longer path
DIAMOND = [
    run_event("1", "COMPLETE", 1, "j1", ("a",), ("b", "c")),
    run_event("2", "COMPLETE", 2, "j2", ("b", "c"), ("d",)),
    run_event("3", "COMPLETE", 3, "j3", ("d",), ("e",)),
    run_event("4", "COMPLETE", 4, "long", ("a",), ("x",)),
    run_event("5", "COMPLETE", 5, "long", ("x",), ("y",)),
    run_event("6", "COMPLETE", 6, "long", ("y",), ("z",)),
    run_event("7", "COMPLETE", 7, "long", ("z",), ("e",)),
    run_event("8", "COMPLETE", 8, "back", ("e",), ("d",)),
    run_event("9", "COMPLETE", 9, "aside", ("d",), ("nowhere",)),
]
SHORTEST = {
    ("a", "j1", "b"), ("a", "j1", "c"), ("b", "j2", "d"), ("c", "j2", "d"), ("d", "j3", "e"),
}  # fmt: skip


def test_all_shortest_paths_and_all_paths(conn: Connection) -> None:
    write_events(conn, DIAMOND)
    graph = Graph.over(conn)
    assert told(graph.paths("a", "e")) == SHORTEST
    every = graph.paths("a", "e", all_paths=True)
    assert told(every) == SHORTEST | {
        ("a", "long", "x"), ("x", "long", "y"), ("y", "long", "z"), ("z", "long", "e"),
        ("e", "back", "d"),
    }  # fmt: skip
    assert every.length == 3


@pytest.mark.parametrize("every", [False, True])
def test_paths_from_a_dataset_to_itself_are_cycles(conn: Connection, every: bool) -> None:
    write_events(conn, DIAMOND)
    graph = Graph.over(conn)
    found = graph.paths("d", "d", all_paths=every)
    assert (found.length, told(found)) == (2, {("d", "j3", "e"), ("e", "back", "d")})
    assert graph.paths("a", "a", all_paths=every).length is None


def test_the_sql_function_answers_in_psql_too(shop: Connection) -> None:
    rows = shop.execute(
        "SELECT distance, source, target, job, runs"
        " FROM lineage.paths('raw/orders', 'gold/revenue')"
    ).fetchall()
    assert rows == [
        (1, "s3://lake/raw/orders", "s3://lake/silver/orders", "clean", 1),
        (2, "s3://lake/silver/orders", "s3://lake/gold/revenue", "report", 2),
    ]
    every = "SELECT count(*) FROM lineage.paths('raw/orders', 'gold/dashboard', true)"
    assert shop.execute(every).fetchall() == [(3,)]


links = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=24)


@SETTINGS
@given(links, st.integers(0, 8))
def test_paths_of_any_graph_equal_those_of_networkx(
    conn: Connection, links: list[tuple[int, int]], goal: int
) -> None:
    conn.execute("DELETE FROM lineage.feeds")
    conn.cursor().executemany(
        "INSERT INTO lineage.feeds VALUES (%s, %s, %s, 1, now(), now(), lineage.next_id('FEEDS'))"
        " ON CONFLICT (source, target, job) DO NOTHING",
        [(*link, at % 2) for at, link in enumerate(links)],
    )
    jobs = {(*link, at % 2) for at, link in enumerate(links)}
    for function, oracle in (("shortest_path_edges", shortest), ("all_path_edges", between)):
        rows = conn.execute(
            f"SELECT source, target, job, distance FROM lineage.{function}(0, %s)", (goal,)
        ).fetchall()
        expected = {
            (*step, job, distance)
            for step, distance in oracle(links, 0, goal).items()
            for job in (0, 1)
            if (*step, job) in jobs
        }
        assert len(rows) == len(set(rows))
        assert set(rows) == expected, function


@SETTINGS
@given(st.lists(events, min_size=1, max_size=10), st.booleans())
def test_paths_are_those_of_the_event_log(conn: Connection, texts: list[str], every: bool) -> None:
    clear(conn)
    write_events(conn, texts)
    graph = Graph.over(conn)
    jobs = steps(texts)
    oracle = between if every else shortest
    names = sorted({name for step in jobs for name in step})
    for start in names:
        for goal in names:
            there, back = oracle(jobs, start, goal), oracle(jobs, goal, start)
            found = graph.paths(
                f"{NAMESPACE}/{start[1]}", f"{NAMESPACE}/{goal[1]}", all_paths=every
            )
            way = there or back
            assert found.reverse == (not there and bool(back))
            assert {
                (edge.source.name, edge.target.name, edge.job and edge.job.name)
                for edge in found.edges
            } == {(s[1], t[1], job and job[1]) for s, t in way for job in jobs[s, t]}
            end = start if found.reverse else goal
            ends = [number for step, number in way.items() if step[1] == end]
            assert found.length == min(ends, default=None)
            distance = {node.dataset.name: node.distance for node in found.nodes}
            for (source, _), number in way.items():
                assert distance[source[1]] == number - 1
