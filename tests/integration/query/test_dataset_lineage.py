"""Dataset lineage: limits, filters and stale edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg import sql
from support.events.builders import dataset, run_event, time
from support.properties import examples_in_one_database
from support.reference.dataset_lineage import Oracle, with_type
from support.reference.graph import clear

from lineage.errors import NotFound, UsageError
from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.filters import ALL, Filters

if TYPE_CHECKING:
    from lineage.query.records import Trace

    Connection = psycopg.Connection[Any]


def names(trace: Trace) -> list[str]:
    return [node.dataset.name for node in trace.nodes]


def steps(trace: Trace) -> list[tuple[str, str]]:
    return [(edge.source.name, edge.target.name) for edge in trace.edges]


def ways(trace: Trace) -> list[tuple[str, str, int]]:
    return [(way.near.name, way.far.name, way.filtered_out) for way in trace.collapsed_paths]


def test_a_limit_retains_the_nearest_and_counts_the_omitted_nodes(provenance: Graph) -> None:
    trace = provenance.upstream("gold/dashboard", filters=Filters(limit=2))
    assert names(trace) == ["gold/dashboard", "gold/revenue", "silver/orders"]
    assert [node.omitted_neighbours for node in trace.nodes] == [0, 1, 1]
    assert (trace.omitted, trace.omitted_adjacent) == (3, 2)
    assert provenance.upstream("gold/dashboard", filters=Filters(limit=9)).omitted == 0


def test_a_tag_shows_what_has_it_through_what_has_not(provenance: Graph) -> None:
    trace = provenance.upstream("gold/dashboard", filters=Filters(tags=("pii",)))
    assert names(trace) == ["gold/dashboard", "raw/orders"]
    assert trace.nodes[1].distance == 3
    assert (trace.edges, ways(trace), trace.filtered_out) == (
        (),
        [("gold/dashboard", "raw/orders", 2)],
        4,
    )
    trace = provenance.upstream("gold/dashboard", filters=Filters(tags=("tier:2",)))
    assert (names(trace), trace.filtered_out) == (["gold/dashboard"], 5)


def test_a_job_shows_what_it_leads_to(provenance: Graph) -> None:
    trace = provenance.upstream("gold/dashboard", filters=Filters(jobs=("report",)))
    assert names(trace) == ["gold/dashboard", "silver/orders", "silver/rates"]
    assert steps(trace) == []
    assert ways(trace) == [
        ("gold/dashboard", "silver/orders", 1),
        ("gold/dashboard", "silver/rates", 1),
    ]
    with pytest.raises(NotFound, match="nobody"):
        provenance.upstream("gold/dashboard", filters=Filters(jobs=("nobody",)))


def test_since_shows_what_was_seen_then_or_later(provenance: Graph) -> None:
    trace = provenance.upstream("gold/dashboard", filters=Filters(since=time(50)))
    assert names(trace) == ["gold/dashboard", "gold/revenue", "silver/orders"]
    with pytest.raises(UsageError, match="soon"):
        provenance.upstream("gold/dashboard", filters=Filters(since="soon"))


def test_an_edge_that_the_last_successful_run_did_not_produce_is_stale(provenance: Graph) -> None:
    """report-2 read only silver.orders."""
    trace = provenance.upstream("gold/revenue")
    assert {edge.source.name: edge.stale for edge in trace.edges} == {
        "silver/orders": False, "silver/rates": True, "raw/orders": False, "raw/rates": False,
    }  # fmt: skip
    left = provenance.upstream("gold/revenue", filters=Filters(stale=False))
    assert names(left) == ["gold/revenue", "silver/orders", "raw/orders"]
    assert left.filtered_out == 0


@pytest.mark.parametrize(
    ("state", "writes", "stale"),
    [("COMPLETE", ("b",), True), ("COMPLETE", (), False), ("START", ("b",), False),
     ("FAIL", ("b",), False), ("RUNNING", ("b",), False)],
)  # fmt: skip
def test_an_unfinished_run_or_a_run_without_outputs_makes_nothing_stale(
    conn: Connection, state: str, writes: tuple[str, ...], stale: bool
) -> None:
    write_events(conn, [run_event("r1", "COMPLETE", 1, reads=("a",), writes=("b",)),
                 run_event("r2", state, 2, reads=("x",), writes=writes)])  # fmt: skip
    rows = conn.execute(
        "SELECT stale FROM lineage.dataset_lineage_edges('b') WHERE source = 'a'"
    ).fetchall()
    assert rows == [(stale,)]


def shown_in_sql(
    conn: Connection, called: str, direction: str, depth: int | None, filters: Filters = ALL
) -> list[Any]:
    """Return the result in psql: distance, namespace and name."""
    given = {
        "dataset": called, "direction": direction, "depth": depth,
        "namespaces": list(filters.namespaces), "tags": list(filters.tags),
        "jobs": list(filters.jobs), "types": list(filters.types), "most": filters.limit,
    }  # fmt: skip
    if filters.since:
        given["since"] = filters.since
    named = sql.SQL(", ").join(
        sql.SQL("{} => {}").format(sql.Identifier(key), sql.Placeholder(key)) for key in given
    )
    return conn.execute(
        sql.SQL("SELECT * FROM lineage.dataset_lineage({})").format(named), given
    ).fetchall()


def test_a_trace_without_intarray_is_the_same(shop: Connection) -> None:
    whole = "SELECT * FROM lineage.downstream('raw/orders')"
    before = shop.execute(whole).fetchall()
    with shop.transaction(force_rollback=True):
        shop.execute("DROP EXTENSION intarray CASCADE")
        shop.execute("CREATE ROLE makes_no_extension")
        shop.execute("GRANT CREATE, USAGE ON SCHEMA lineage TO makes_no_extension")
        shop.execute("SET LOCAL ROLE makes_no_extension")
        assert shop.execute("SELECT lineage.install_int_array_functions()").fetchall() == [(False,)]
        shop.execute("RESET ROLE")
        assert shop.execute(whole).fetchall() == before
        shop.execute("ALTER FUNCTION lineage.int_array_union OWNER TO CURRENT_USER")
        shop.execute("ALTER FUNCTION lineage.int_array_difference OWNER TO CURRENT_USER")
        assert shop.execute("SELECT lineage.install_int_array_functions()").fetchall() == [(True,)]
        assert shop.execute(whole).fetchall() == before
    assert [name for *_, name in before] == [
        "raw/orders",
        "silver/orders",
        "gold/revenue",
        "gold/dashboard",
    ]


def test_a_trace_of_nothing_is_nothing(shop: Connection) -> None:
    assert shop.execute("SELECT * FROM lineage.trace_datasets(NULL)").fetchall() == []
    assert shop.execute("SELECT * FROM lineage.dataset_closure('{}', 'upstream')").fetchall() == []


def test_sql_returns_the_same_trace(provenance: Graph, shop: Connection) -> None:
    for direction in ("upstream", "downstream", "both"):
        trace = provenance.dataset_lineage("silver/orders", direction, filters=Filters(limit=3))
        assert shown_in_sql(shop, "silver/orders", direction, None, Filters(limit=3)) == [
            (node.distance, node.dataset.namespace, node.dataset.name) for node in trace.nodes
        ]
    nothing = "namespaces => NULL, tags => NULL, jobs => NULL, types => NULL, since => NULL"
    rows = shop.execute(
        f"SELECT count(*) FROM lineage.dataset_lineage('silver/orders', {nothing})"
    ).fetchall()
    assert rows == [(2,)]
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="is not upstream or downstream"):
        shown_in_sql(shop, "silver/orders", "up", None)
    with pytest.raises(psycopg.errors.NoDataFound, match='no job is called "x"'):
        shown_in_sql(shop, "silver/orders", "both", None, Filters(jobs=("x",)))


_tagged = {"tags": [{"key": "pii", "value": "true"}]}
_datasets = st.builds(
    lambda name, tags: dataset(name, namespace="s3://one" if name < "d" else "s3://two", **tags),
    st.sampled_from("abcdefg"),
    st.sampled_from([{}, {}, {"tags": _tagged}]),
)
_few = st.lists(_datasets, min_size=1, max_size=2).map(tuple)
_events = st.builds(
    lambda run, state, at, job, reads, writes, parent, type: with_type(
        run_event(run, state, at, job, reads, writes, parent), type
    ),
    st.sampled_from([f"r{n}" for n in range(8)]),
    st.sampled_from(["COMPLETE", "COMPLETE", "COMPLETE", "START", "RUNNING", "FAIL"]),
    st.integers(0, 9),
    st.sampled_from(["j1", "j2", "j3"]),
    _few,
    _few | st.just(()),
    st.sampled_from([None, None, ("r0", "j1"), ("p", "flow")]),
    st.sampled_from([None, "QUERY", "DAG"]),
)
_filters = st.builds(
    Filters,
    namespaces=st.sampled_from([(), (), ("s3://one",), ("s3://two", "s3://none")]),
    tags=st.sampled_from([(), (), ("pii",)]),
    jobs=st.sampled_from([(), (), ("j1",), ("j1", "j2")]),
    types=st.sampled_from([(), (), ("QUERY",)]),
    since=st.sampled_from([None, None, "2026-01-01T00:00:04.000000Z"]),
    stale=st.booleans(),
    limit=st.sampled_from([None, None, 1, 2, 4]),
)


@examples_in_one_database(60)
@given(
    texts=st.lists(_events, min_size=1, max_size=12),
    direction=st.sampled_from(["upstream", "downstream"]),
    depth=st.none() | st.integers(1, 3),
    filters=_filters,
)
def test_traces_equal_the_reference_implementation(
    conn: Connection, texts: list[str], direction: Any, depth: int | None, filters: Filters
) -> None:
    clear(conn)
    known = [run_event(f"k{job}", "OTHER", 0, job) for job in ("j1", "j2", "j3")]
    texts = [*texts, *known]  # so that each job exists
    write_events(conn, texts)
    graph = Graph.over(conn)
    for root in graph.datasets():
        key = (root.namespace, root.name)
        told = Oracle(texts, key, direction, depth, filters)
        trace = graph.dataset_lineage(root.full_name, direction, depth, filters)

        def name(of: Any) -> tuple[str, str]:
            return of.namespace, of.name

        assert [name(node.dataset) for node in trace.nodes] == told.kept
        assert [node.distance for node in trace.nodes] == [told.distances[d] for d in told.kept]
        if filters.stale:
            assert shown_in_sql(conn, root.full_name, direction, depth, filters) == [
                (node.distance, *name(node.dataset)) for node in trace.nodes
            ]
        edges = {(name(e.source), name(e.target), name(e.job)): e.stale for e in trace.edges}
        assert edges == {edge: edge in told.stale for edge in told.edges()}
        assert {
            (name(w.near), name(w.far), w.filtered_out) for w in trace.collapsed_paths
        } == told.ways()
        assert trace.filtered_out == len(told.distances) - len(told.fitting)
        assert trace.omitted == len(told.omitted)
        assert trace.omitted_adjacent == sum(bool(told.next_to(d)) for d in told.omitted)
        for node in trace.nodes:
            left = [d for d in told.omitted if name(node.dataset) in told.next_to(d)]
            assert node.omitted_neighbours == len(left)
