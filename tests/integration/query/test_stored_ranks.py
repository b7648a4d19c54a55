"""Ranks that are stored as facets: shown by search and details, and unchanged by a rebuild."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, dataset_event, run_event

from lineage.ingest.writer import write_events
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.query import Graph
from lineage.stored_ranks import store_ranks

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

# raw ─▶ clean ─▶ gold, and other ─▶ clean
EVENTS = [
    run_event("r1", "COMPLETE", 10, "a", ("raw", "other"), (dataset("clean", ("alias",)),)),
    run_event("r2", "COMPLETE", 20, "b", ("clean",), ("gold",)),
]


def test_search_and_details_return_stored_ranks(conn: Connection, dsn: str) -> None:
    write_events(conn, EVENTS)
    done = store_ranks(conn)
    assert (done.stored, done.withdrawn) == (4, 0)
    with Graph(dsn) as graph:
        ranked = {each.dataset.name: each for each in graph.rank_datasets().datasets}
        rank = graph.dataset("alias").rank
        assert rank is not None
        assert (rank.position, rank.total, rank.dependents) == (1, 4, 1)
        assert rank.rank == pytest.approx(ranked["clean"].rank, rel=1e-5)
        assert rank.as_of == "2026-01-01T00:00:20.000000Z"
        [hit] = graph.search("raw")
        assert hit.rank == graph.dataset("raw").rank is not None
        [job] = graph.search("a", ["job"])
        assert job.rank is None


def test_ranks_are_written_again_only_if_they_have_changed(conn: Connection, dsn: str) -> None:
    write_events(conn, EVENTS)
    store_ranks(conn)
    assert store_ranks(conn).stored == 0
    write_events(conn, [run_event("r3", "COMPLETE", 30, "c", ("gold",), ("mart",))])
    assert store_ranks(conn).stored == 5
    with Graph(dsn) as graph:
        rank = graph.dataset("gold").rank
    assert rank is not None
    assert (rank.total, rank.dependents, rank.as_of[17:19]) == (5, 1, "30")


def test_a_rank_is_withdrawn_when_the_dataset_has_no_edge_any_more(
    conn: Connection, dsn: str
) -> None:
    write_events(conn, EVENTS)
    store_ranks(conn)
    write_events(conn, [run_event("r2", "FAIL", 40, "b")])
    done = store_ranks(conn)
    assert (done.stored, done.withdrawn) == (3, 1)
    with Graph(dsn) as graph:
        assert graph.dataset("gold").rank is None
        assert "lineage_rank" not in graph.dataset("gold").facets
    assert store_ranks(conn).withdrawn == 0


def test_storing_moves_no_time_and_survives_a_rebuild(conn: Connection, dsn: str) -> None:
    write_events(conn, EVENTS)
    with Graph(dsn) as graph:
        before = graph.dataset("clean")
    store_ranks(conn)
    fingerprint = graph_fingerprint(conn)
    assert conn.execute("SELECT lineage.iso8601(lineage.latest_event_time())").fetchone() == (
        "2026-01-01T00:00:20.000000Z",
    )
    rebuild_graph(conn)
    assert graph_fingerprint(conn) == fingerprint
    with Graph(dsn) as graph:
        after = graph.dataset("clean")
    assert (after.first_seen, after.last_seen) == (before.first_seen, before.last_seen)
    assert after.rank is not None


def test_an_invalid_rank_of_another_producer_is_ignored(conn: Connection, dsn: str) -> None:
    write_events(conn, [*EVENTS, dataset_event(30, dataset("raw", lineage_rank={"rank": "high"}))])
    with Graph(dsn) as graph:
        assert graph.dataset("raw").rank is None
        [hit] = graph.search("raw")
        assert hit.rank is None
    assert store_ranks(conn).stored == 4
