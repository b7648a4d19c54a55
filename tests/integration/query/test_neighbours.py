"""The neighbours of a dataset, and how many neighbours each of them has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import dataset, run_event, schema, time
from support.properties import examples_in_one_database
from support.reference.graph import clear

from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.filters import Filters

if TYPE_CHECKING:
    import psycopg

    from lineage.query.neighbours import GraphNode, Neighbours

    Connection = psycopg.Connection[Any]


def names(neighbours: Neighbours) -> list[str]:
    return [node.dataset.name for node in neighbours.nodes]


def at(second: int) -> str:
    """Return a time as records have it."""
    return time(second).replace("Z", ".000000Z")


def counts(node: GraphNode) -> tuple[int, int]:
    return node.upstream, node.downstream


def test_neighbours_of_both_directions_have_their_own_numbers(provenance: Graph) -> None:
    found = provenance.neighbours("silver/orders")
    assert counts(found.root) == (1, 1)
    assert {node.dataset.name: counts(node) for node in found.nodes} == {
        "raw/orders": (0, 1),
        "gold/revenue": (2, 1),
    }
    assert [(edge.source.name, edge.target.name) for edge in found.edges] == [
        ("raw/orders", "silver/orders"),
        ("silver/orders", "gold/revenue"),
    ]
    assert found.omitted == {}


def test_one_direction_has_the_most_used_first(provenance: Graph) -> None:
    found = provenance.neighbours("gold/revenue", "upstream")
    assert names(found) == ["silver/orders", "silver/rates"]  # two runs, one run
    assert counts(found.root) == (2, 1)


def test_pages_follow_each_other_and_count_the_rest(provenance: Graph) -> None:
    first = provenance.neighbours("gold/revenue", "upstream", Filters(limit=1))
    assert (names(first), first.omitted) == (["silver/orders"], {"upstream": 1})
    second = provenance.neighbours("gold/revenue", "upstream", Filters(limit=1), offset=1)
    assert (names(second), second.omitted) == (["silver/rates"], {})
    assert names(provenance.neighbours("gold/revenue", "upstream", offset=2)) == []


def test_text_selects_neighbours_and_not_their_numbers(provenance: Graph) -> None:
    found = provenance.neighbours("gold/revenue", "upstream", text="RATE")
    assert (names(found), counts(found.root), found.omitted) == (["silver/rates"], (2, 1), {})


def test_filters_apply_to_neighbours_and_to_numbers(provenance: Graph) -> None:
    fresh = provenance.neighbours("gold/revenue", filters=Filters(stale=False))
    assert (names(fresh), counts(fresh.root)) == (["silver/orders", "gold/dashboard"], (1, 1))
    tagged = provenance.neighbours("silver/orders", filters=Filters(tags=("pii",)))
    assert (names(tagged), counts(tagged.root)) == (["raw/orders"], (1, 0))
    with pytest.raises(NotFound, match="nobody"):
        provenance.neighbours("gold/revenue", filters=Filters(jobs=("nobody",)))


def test_a_node_has_its_columns_its_tags_and_its_latest_write(conn: Connection) -> None:
    table = dataset(
        "gold/sales",
        schema=schema(id="long", customer={"name": "string"}),
        tags={"tags": [{"key": "pii"}]},
        outputFacets={"outputStatistics": {"rowCount": 7}},
    )
    failed = dataset("gold/sales")
    write_events(conn, [run_event("r1", "COMPLETE", 1, reads=("raw",), writes=(table,))])
    assert Graph.over(conn).neighbours("raw").nodes[0] == (
        Graph.over(conn).neighbours("gold/sales").root
    )
    node = Graph.over(conn).neighbours("gold/sales").root
    assert (node.columns, node.tags, node.first_seen) == (2, ("pii",), at(1))
    assert (node.state, node.written_at, node.rows) == ("COMPLETE", at(1), 7)
    write_events(conn, [run_event("r2", "FAIL", 2, reads=("raw",), writes=(failed,))])
    node = Graph.over(conn).neighbours("gold/sales").root
    assert (node.state, node.written_at, node.rows) == ("FAIL", at(2), None)
    raw = Graph.over(conn).neighbours("raw").root
    assert (raw.state, raw.written_at, raw.rows) == (None, None, None)


@pytest.mark.parametrize("change", ["ALTER", "TRUNCATE", "DROP"])
def test_a_change_without_rows_is_no_write(conn: Connection, change: str) -> None:
    changed = dataset("gold/sales", lifecycleStateChange={"lifecycleStateChange": change})
    full = dataset("gold/sales", outputFacets={"outputStatistics": {"rowCount": 7}})
    write_events(
        conn,
        [
            run_event("r1", "COMPLETE", 1, "load", writes=(full,)),
            run_event("r2", "START", 2, "ddl", writes=(changed,)),
            run_event("r2", "COMPLETE", 4, "ddl", writes=(changed,)),
        ],
    )
    graph = Graph.over(conn)
    for moment in (None, time(3), time(4)):  # before, while and after the change
        node = graph.neighbours("gold/sales", time=moment).root
        assert (node.state, node.written_at, node.rows) == ("COMPLETE", at(1), 7)
    assert sum(each.writes for each in graph.timeline(["gold/sales"]).bins) == 1


def test_a_dataset_is_no_neighbour_of_itself(conn: Connection) -> None:
    write_events(conn, [run_event("r", "COMPLETE", 1, reads=("a", "b"), writes=("b",))])
    found = Graph.over(conn).neighbours("b")
    assert (names(found), counts(found.root)) == (["a"], (1, 0))


def test_edges_are_sorted_by_names(conn: Connection) -> None:
    """And not in the order in which they were written."""
    for second, source in enumerate("zam"):
        write_events(conn, [run_event(f"r{second}", "COMPLETE", second, "j", (source,), ("b",))])
    edges = Graph.over(conn).neighbours("b").edges
    assert [edge.source.name for edge in edges] == ["a", "m", "z"]


RUNS = st.lists(
    st.tuples(
        st.sampled_from("xyz"),
        st.sampled_from(["COMPLETE", "FAIL", "START"]),
        st.sets(st.sampled_from("abcdef"), max_size=3),
        st.sets(st.sampled_from("abcdef"), max_size=3),
    ),
    min_size=1,
    max_size=8,
)
FILTERS = st.builds(
    Filters,
    jobs=st.sampled_from([(), ("x",), ("x", "y")]),
    since=st.sampled_from([None, time(3)]),
    stale=st.booleans(),
)


@examples_in_one_database(40)
@given(runs=RUNS, filters=FILTERS)
def test_neighbours_are_a_trace_of_one_edge(
    conn: Connection, runs: list[Any], filters: Filters
) -> None:
    clear(conn)
    events = [
        run_event(f"r{n}", state, n, job, tuple(sorted(reads)), tuple(sorted(writes)))
        for n, (job, state, reads, writes) in enumerate(runs)
    ]
    events += [run_event(f"j{job}", "COMPLETE", 0, job, ("a",)) for job in "xyz"]
    write_events(conn, events)
    graph = Graph.over(conn)
    found = graph.neighbours("a", filters=filters)
    for node in (found.root, *found.nodes):
        for direction in ("upstream", "downstream"):
            trace = graph.dataset_lineage(node.dataset.full_name, direction, 1, filters)
            assert getattr(node, direction) == len(trace.datasets), (node.dataset, direction)
    shown = [node.dataset.full_name for node in (found.root, *found.nodes)]
    subgraph = graph.subgraph(shown, filters=filters)
    assert list(subgraph.nodes) == [found.root, *found.nodes]
    at_root = {
        edge
        for edge in subgraph.edges
        if edge.source != edge.target and found.root.dataset in (edge.source, edge.target)
    }
    assert at_root == set(found.edges)
    both = graph.dataset_lineage("a", "both", 1, filters)
    assert {n.dataset for n in found.nodes} == set(both.datasets)
    assert {(e.source.name, e.target.name, e.stale) for e in found.edges} == {
        (e.source.name, e.target.name, e.stale) for e in both.edges if e.source != e.target
    }
