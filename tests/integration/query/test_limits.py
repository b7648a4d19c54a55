"""Results with a limit: the beginning of the whole result, with a count of omitted rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, derived, run_event, schema

from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    from lineage.query.records import OneWay

    Connection = psycopg.Connection[Any]

TABLES = ("t0", "t1", "t2", "t3")


@pytest.fixture
def graph(conn: Connection) -> Graph:
    """Write a layer of four tables between s and o; an hour before, it had one table."""
    events = [
        run_event("first", "COMPLETE", 10, "make-o", ("t0",),
                  (dataset("o", schema=schema(a="int")),)),
    ]  # fmt: skip
    for n, table in enumerate(TABLES):
        made = derived(("x", "s", "x"), ("y", "s", "x"))
        events.append(run_event(
            f"t-{n}", "COMPLETE", 100 + n, f"make-{table}", ("s",),
            (dataset(table, columnLineage=made),),
        ))  # fmt: skip
    made = derived(*(("a", table, column) for table in TABLES for column in "xy"))
    events += [
        run_event("last", "START", 200, "make-o", TABLES),
        run_event("last", "COMPLETE", 210, "make-o", (), (
            dataset("o", schema=schema(a="int", b="int", c="int"), columnLineage=made),)),
        run_event("bad", "FAIL", 220, "make-s", (), ("s",)),
        run_event("reads", "FAIL", 230, "read-o", ("o", "s")),
    ]  # fmt: skip
    write_events(conn, events)
    return Graph.over(conn)


@pytest.mark.parametrize("direction", ["upstream", "downstream"])
def test_the_nearest_edges_of_a_column(graph: Graph, direction: OneWay) -> None:
    name, column = ("o", "a") if direction == "upstream" else ("s", "x")
    whole = graph.column_lineage(name, column, direction)
    assert (len(whole.edges), whole.omitted) == (16, {})
    for limit in (1, 8, 9, 16):
        found = graph.column_lineage(name, column, direction, limit=limit)
        assert found.edges == whole.edges[:limit]
        ends = {end for edge in found.edges for end in (edge.source, edge.target)}
        assert found.nodes == tuple(node for node in whole.nodes if node.column in ends)
        omitted = {"edges": 16 - limit, "nodes": len(whole.nodes) - len(found.nodes)}
        assert found.omitted == {name: count for name, count in omitted.items() if count}


@pytest.mark.parametrize("every", [False, True])
def test_the_first_edges_of_paths(graph: Graph, every: bool) -> None:
    whole = graph.paths("s", "o", all_paths=every)
    assert (len(whole.edges), whole.length, whole.omitted) == (8, 2, {})
    for limit in (1, 4, 7, 8):
        found = graph.paths("s", "o", all_paths=every, limit=limit)
        assert (found.edges, found.length) == (whole.edges[:limit], 2)
        omitted = {"edges": 8 - limit, "nodes": len(whole.nodes) - len(found.nodes)}
        assert found.omitted == {name: count for name, count in omitted.items() if count}
    back = graph.paths("o", "s", all_paths=every, limit=1)
    assert (back.reverse, back.length, back.omitted["edges"]) == (True, 2, 7)


def test_the_first_of_each_kind_of_change(graph: Graph) -> None:
    times = "2026-01-01T00:01:00Z", "2026-01-01T00:10:00Z"
    whole = graph.dataset_diff("o", *times)
    found = graph.dataset_diff("o", *times, limit=1)
    for kind in ("datasets", "jobs", "writes", "schemas", "rows"):
        every = getattr(whole, kind)
        assert getattr(found, kind) == every[:1]
        assert found.omitted.get(kind, 0) == len(every[1:])
    assert found.omitted["datasets"] == 3  # s, t1, t2 and t3 were added


def test_the_first_differences_and_causes(graph: Graph) -> None:
    whole, found = graph.run_diff("first", "last"), graph.run_diff("first", "last", limit=1)
    assert len(whole.differences) > 1
    assert found.differences == whole.differences[:1]
    assert found.omitted == {"differences": len(whole.differences) - 1}
    causes, first = graph.root_cause("reads"), graph.root_cause("reads", limit=1)
    assert [cause.kind for cause in causes.causes][:1] == ["stale input"]
    assert first.causes == causes.causes[:1]
    assert first.omitted == {"causes": len(causes.causes) - 1}
