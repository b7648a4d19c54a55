"""The subgraph of some datasets, and the edges between their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import job_event, run_event

from lineage.errors import Ambiguous
from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.filters import Filters

if TYPE_CHECKING:
    import psycopg

    from lineage.query.records import ColumnEdge
    from lineage.query.subgraph import Subgraph

    Connection = psycopg.Connection[Any]

LAKE = "s3://lake/"


def names(subgraph: Subgraph) -> list[str]:
    return [node.dataset.name for node in subgraph.nodes]


def edges(subgraph: Subgraph) -> list[tuple[str, str]]:
    return [(edge.source.name, edge.target.name) for edge in subgraph.edges]


def columns(edge: ColumnEdge) -> tuple[str, str, str]:
    ends = [end.full_name.removeprefix(LAKE) for end in (edge.source, edge.target)]
    return ends[0], ends[1], edge.type


def test_edges_are_those_between_the_named_datasets(provenance: Graph) -> None:
    subgraph = provenance.subgraph(["gold/dashboard", f"{LAKE}silver/orders", "gold/revenue"])
    assert names(subgraph) == ["gold/dashboard", "silver/orders", "gold/revenue"]
    assert edges(subgraph) == [
        ("gold/revenue", "gold/dashboard"),
        ("silver/orders", "gold/revenue"),
    ]
    assert [(node.upstream, node.downstream) for node in subgraph.nodes] == [(1, 0), (1, 1), (2, 1)]
    assert (subgraph.column_edges, subgraph.missing, subgraph.omitted) == ((), (), {})


def test_edges_are_stale_as_in_a_trace(provenance: Graph) -> None:
    [edge] = provenance.subgraph(["silver/rates", "gold/revenue"]).edges
    assert edge.stale


def test_filters_apply_to_edges_and_to_numbers_of_neighbours(provenance: Graph) -> None:
    names = ["silver/orders", "silver/rates", "gold/revenue", "gold/dashboard"]
    fresh = provenance.subgraph(names, filters=Filters(stale=False))
    assert ("silver/rates", "gold/revenue") not in edges(fresh)
    assert {node.dataset.name: node.upstream for node in fresh.nodes}["gold/revenue"] == 1
    every = provenance.subgraph(names)
    assert ("silver/rates", "gold/revenue") in edges(every)
    [job] = [edge.job for edge in every.edges if edge.target.name == "gold/dashboard"]
    assert job is not None
    of_job = provenance.subgraph(names, filters=Filters(jobs=(job.full_name,)))
    assert edges(of_job) == [("gold/revenue", "gold/dashboard")]
    assert [(node.upstream, node.downstream) for node in of_job.nodes] == [
        (0, 0), (0, 0), (0, 1), (1, 0),
    ]  # fmt: skip


def test_a_dataset_of_two_names_is_there_once(provenance: Graph) -> None:
    subgraph = provenance.subgraph(["shop.orders", "silver/orders", f"{LAKE}silver/orders"])
    assert names(subgraph) == ["silver/orders"]
    assert subgraph.full_names == {
        "shop.orders": f"{LAKE}silver/orders", "silver/orders": f"{LAKE}silver/orders",
    }  # fmt: skip


def test_names_without_a_dataset_are_returned(provenance: Graph) -> None:
    subgraph = provenance.subgraph(["gold/gone", "raw/rates", "", "gold/gone"])
    assert (names(subgraph), subgraph.missing) == (["raw/rates"], ("gold/gone", ""))
    assert provenance.subgraph([]).nodes == ()


def test_an_ambiguous_name_is_rejected(conn: Connection) -> None:
    write_events(conn, [run_event("r", "COMPLETE", 1, reads=("a/t",), writes=("b/t",))])
    with pytest.raises(Ambiguous, match='"t" matches 2 datasets') as error:
        Graph.over(conn).subgraph(["a/t", "t"])
    assert error.value.candidates == [f"{LAKE}a/t", f"{LAKE}b/t"]


def test_columns_are_those_of_the_opened_datasets(provenance: Graph) -> None:
    shown = ["raw/orders", "silver/orders", "silver/rates", "gold/revenue"]
    subgraph = provenance.subgraph(shown, ["silver/orders", "gold/revenue", "gold/dashboard"])
    assert sorted(map(columns, subgraph.column_edges)) == [
        ("silver/orders.id", "gold/revenue.*", "INDIRECT"),
        ("silver/orders.price", "gold/revenue.total", "DIRECT"),
    ]
    two = provenance.subgraph(shown, ["raw/orders", "silver/orders"], Filters(limit=1))
    assert (len(two.column_edges), two.omitted) == (1, {"column_edges": 2})


def test_column_edges_are_those_of_traces_of_one_edge(provenance: Graph) -> None:
    every = ["raw/orders", "raw/rates", "silver/orders", "silver/rates", "gold/revenue",
             "gold/dashboard"]  # fmt: skip
    induced = {columns(edge) for edge in provenance.subgraph(every, every).column_edges}
    traced = {
        columns(edge)
        for target, column in [("silver/orders", "id"), ("silver/orders", "price"),
                               ("gold/revenue", "total"), ("gold/dashboard", "headline")]
        for edge in provenance.column_lineage(target, column, depth=1).edges
    }  # fmt: skip
    assert induced == traced


def test_declared_edges_are_marked_and_may_be_omitted(conn: Connection) -> None:
    design = job_event(1, "plan", ("a",), ("b",))
    write_events(conn, [design])
    [edge] = Graph.over(conn).subgraph(["a", "b"]).edges
    assert (edge.runs, edge.declared) == (0, True)
    assert Graph.over(conn).subgraph(["a", "b"], filters=Filters(observed=True)).edges == ()


def test_a_full_name_of_two_datasets_is_missing_and_no_error(conn: Connection) -> None:
    # One producer names the object s3://lake/data/x by the key /data/x, another by data/x.
    reads = ("/data/x", "data/x")
    write_events(conn, [run_event("r1", "COMPLETE", 1, "copy", reads, ("data/y",))])
    graph = Graph.over(conn)
    subgraph = graph.subgraph([f"{LAKE}data/x", f"{LAKE}data/y"])
    assert (names(subgraph), subgraph.missing) == (["data/y"], (f"{LAKE}data/x",))
    with pytest.raises(Ambiguous) as error:
        graph.dataset(f"{LAKE}data/x")
    assert error.value.candidates == ["s3://lake:/data/x", "s3://lake:data/x"]
    assert [graph.dataset(each).dataset.name for each in error.value.candidates] == list(reads)
