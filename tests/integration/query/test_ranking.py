"""Ranks of datasets: the share of lineage that depends on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import run_event
from support.properties import examples_in_one_database

from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    Connection = psycopg.Connection[Any]

NAMES = [f"t{n}" for n in range(8)]


def write_pairs(conn: Connection, pairs: list[tuple[str, str]], state: str = "COMPLETE") -> None:
    write_events(
        conn,
        [
            run_event(f"{state} {n}", state, n, f"job{n}", (source,), (target,))
            for n, (source, target) in enumerate(pairs)
        ],
    )


def power_iteration(graph: networkx.DiGraph[str]) -> dict[str, float]:
    """Return the PageRank by its definition: 0.85 by edges, the rest to all nodes alike."""
    ranks = dict.fromkeys(graph, 1 / max(1, len(graph)))
    for _ in range(300):
        lost = sum(rank for node, rank in ranks.items() if not graph.out_degree(node))
        base = (0.15 + 0.85 * lost) / max(1, len(graph))
        ranks = {
            node: base
            + 0.85 * sum(ranks[other] / graph.out_degree(other) for other in graph.pred[node])
            for node in graph
        }
    return ranks


def test_a_source_of_many_ranks_before_its_dependents(conn: Connection, dsn: str) -> None:
    write_pairs(conn, [("raw", "clean"), ("clean", "a"), ("clean", "b"), ("other", "c")])
    with Graph(dsn) as graph:
        ranking = graph.rank_datasets()
    dependents = {each.dataset.name: each.dependents for each in ranking.datasets}
    assert [each.dataset.name for each in ranking.datasets][:2] == ["raw", "clean"]
    assert dependents == {"raw": 3, "clean": 2, "other": 1, "a": 0, "b": 0, "c": 0}
    assert (ranking.total, ranking.components, ranking.longest_chain) == (6, 2, 2)
    assert sum(each.rank for each in ranking.datasets) == pytest.approx(1)


def test_datasets_beyond_the_limit_are_counted(conn: Connection, dsn: str) -> None:
    write_pairs(conn, [("a", "b"), ("b", "c")])
    with Graph(dsn) as graph:
        ranking = graph.rank_datasets(1)
    assert [each.dataset.name for each in ranking.datasets] == ["a"]
    assert ranking.omitted == 2


def test_failed_runs_and_reads_of_the_own_output_do_not_count(conn: Connection, dsn: str) -> None:
    write_pairs(conn, [("a", "b"), ("b", "b")])
    write_pairs(conn, [("c", "d")], "FAIL")
    with Graph(dsn) as graph:
        assert {each.dataset.name for each in graph.rank_datasets().datasets} == {"a", "b"}


def test_an_empty_graph_has_no_ranks(conn: Connection, dsn: str) -> None:
    with Graph(dsn) as graph:
        ranking = graph.rank_datasets()
    assert (ranking.datasets, ranking.total, ranking.longest_chain) == ((), 0, 0)


@examples_in_one_database(12)
@given(
    pairs=st.lists(
        st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), min_size=1, max_size=20
    )
)
def test_ranks_are_those_of_power_iteration(database: Any, server: Any, pairs: Any) -> None:
    dsn = database(server.migrated())
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_pairs(conn, pairs)
    expected = networkx.DiGraph([(source, target) for source, target in pairs if source != target])
    with Graph(dsn) as graph:
        ranking = graph.rank_datasets()
    ranks = power_iteration(expected.reverse())
    assert {each.dataset.name: each.rank for each in ranking.datasets} == pytest.approx(
        ranks, abs=1e-7
    )
    assert {each.dataset.name: each.dependents for each in ranking.datasets} == {
        name: len(networkx.descendants(expected, name)) for name in expected
    }
    assert ranking.components == networkx.number_weakly_connected_components(expected)
    condensed = networkx.condensation(expected) if expected else None
    assert ranking.longest_chain == (
        networkx.dag_longest_path_length(condensed) if condensed else 0
    )
