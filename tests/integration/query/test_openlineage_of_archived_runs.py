"""Results as OpenLineage events, if some of their edges are of archived runs only."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import dataset, derived, events, run_event
from support.events.months import by_its_second, first_of
from support.events.openlineage_schema import assert_valid
from support.exported_results import assert_same, plain
from support.properties import examples_in_one_database
from support.reference.graph import clear

from lineage.export import openlineage
from lineage.ingest.writer import write_events
from lineage.maintenance.archive_runs import archive_runs
from lineage.projection import archived_runs
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Connection = psycopg.Connection[Any]
COPIED = {"type": "DIRECT", "subtype": "IDENTITY"}


@pytest.fixture(autouse=True)
def _no_previous_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Archive runs that later ones are compared with, too: the jobs of these tests have few."""
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)


def archive(conn: Connection, before: str, lake: Path) -> int:
    return sum(file.runs for file in archive_runs(conn, before, str(lake)))


def copied(month: int, source: str, target: str) -> str:
    output = dataset(target, columnLineage=derived(("k", source, "k", COPIED)))
    return by_its_second(
        run_event(f"r{month}", "COMPLETE", month - 1, "copy", (source,), (output,))
    )


# Only the run of month 1 fed "c" from "a". The runs that remain are those of months 2, 4 and 7.
COPIES = [copied(1, "a", "c"), copied(2, "a", "d"), copied(3, "b", "c"), copied(4, "b", "c"),
          *(copied(month, "x", "y") for month in (5, 6, 7))]  # fmt: skip


@pytest.fixture
def graph(conn: Connection, tmp_path: Path) -> Graph:
    write_events(conn, COPIES)
    assert archive(conn, "2025-10-01", tmp_path) == 4
    return Graph.over(conn)


def test_edges_of_archived_runs_are_exported_with_their_times(
    graph: Graph, copy: Connection
) -> None:
    answer = graph.upstream("c")
    edges = {(e.source.name, e.first_seen, e.last_seen) for e in answer.edges}
    assert edges == {("a", first_of(1), first_of(1)), ("b", first_of(3), first_of(4))}
    exported = list(openlineage.events_of_session(graph.session, answer))
    for event in exported:
        if not event.get("run", {}).get("runId", "r").startswith("r"):  # these are no UUIDs
            assert_valid(event)
    [of_archived] = [e for e in exported if e.get("inputs") == [named("a")]]
    assert of_archived["eventTime"] == first_of(1)
    assert [tag["key"] for tag in of_archived["run"]["facets"]["tags"]["tags"]] == ["archived_runs"]
    assert_same(graph, copy, lambda g: g.upstream("s3://lake/c"))


def named(name: str) -> dict[str, str]:
    return {"namespace": "s3://lake", "name": name}


@pytest.mark.parametrize(
    "ask",
    [
        lambda graph: graph.column_lineage("s3://lake/c", "k"),
        lambda graph: graph.column_lineage("s3://lake/a", "k", "downstream"),
        lambda graph: graph.downstream("s3://lake/a"),
        lambda graph: graph.paths("s3://lake/a", "s3://lake/c"),
        lambda graph: graph.job_lineage("s3://lake/c"),
    ],
)
def test_results_of_archived_runs_are_the_same_again(
    graph: Graph, copy: Connection, ask: Callable[[Graph], object]
) -> None:
    assert_same(graph, copy, ask)


def test_a_subgraph_has_the_same_edges_again(graph: Graph, copy: Connection) -> None:
    names = [f"s3://lake/{name}" for name in "abc"]
    answer = graph.subgraph(names)
    exported = openlineage.events_of_session(graph.session, answer)
    write_events(copy, [json.dumps(event) for event in exported])
    again = Graph.over(copy).subgraph(names)
    assert {each["source"]["name"] for each in plain(again.edges)} == {"a", "b"}
    assert plain(again.edges) == plain(answer.edges)


def test_a_job_that_passed_data_on_in_archived_runs_does_so_again(
    conn: Connection, copy: Connection, tmp_path: Path
) -> None:
    """The last run of "middle" that read is another than its last that wrote."""

    def run(month: int, job: str, reads: tuple[str, ...], writes: tuple[str, ...]) -> str:
        return by_its_second(run_event(f"{job} {month}", "COMPLETE", month - 1, job, reads, writes))

    write_events(conn, [
        run(1, "first", (), ("raw",)), run(2, "middle", ("raw",), ("out",)),
        run(3, "middle", ("raw",), ()), run(4, "middle", (), ("out",)),
        run(5, "last", ("out",), ("end",)),
    ])  # fmt: skip
    assert archive(conn, "2025-10-01", tmp_path) == 1
    graph = Graph.over(conn)
    assert {str(each) for each in graph.job_lineage("last").jobs} == {"etl/middle", "etl/first"}
    assert_same(graph, copy, lambda g: g.job_lineage("etl/last"))


def test_results_about_several_columns_of_one_run_are_united(
    conn: Connection, copy: Connection, tmp_path: Path
) -> None:
    both = dataset("t", columnLineage=derived(("k", "a", "k", COPIED), ("l", "a", "l", COPIED)))
    write_events(conn, [
        by_its_second(run_event("r1", "COMPLETE", 0, "copy", ("a",), (both,))),
        by_its_second(run_event("r2", "COMPLETE", 1, "copy", ("a",), ("t",))),
    ])  # fmt: skip
    assert archive(conn, "2025-10-01", tmp_path) == 1
    graph = Graph.over(conn)
    for column in ("k", "l"):
        answer = graph.column_lineage("t", column)
        exported = openlineage.events_of_session(graph.session, answer)
        write_events(copy, [json.dumps(event) for event in exported])
    for column in ("k", "l"):
        [edge] = Graph.over(copy).column_lineage("t", column).edges
        assert (edge.source.name, edge.first_seen) == (column, first_of(1))


# Without those of jobs that share no data, whose order is not exported.
_events = events.filter(lambda text: '"upstream"' not in text)


def asks(graph: Graph, name: str) -> list[Callable[[Graph], object]]:
    columns = graph.dataset_columns(name, limit=None).columns
    return [
        lambda g: g.dataset_lineage(name, "both"),
        lambda g: g.job_lineage(name, "upstream"),
        lambda g: g.job_lineage(name, "downstream"),
        *(lambda g, column=column.name: g.column_lineage(name, column) for column in columns),
    ]


@examples_in_one_database(25)
@given(st.lists(_events, min_size=3, max_size=10), st.integers(2, 6), st.integers(0, 4))
def test_any_answer_is_the_same_again_after_archiving(
    conn: Connection, copy: Connection, tmp_path: Path, texts: list[str], month: int, place: int
) -> None:
    clear(conn)
    write_events(conn, [by_its_second(text) for text in texts])
    archive(conn, f"2025-{month:02}-01", tmp_path)
    graph = Graph.over(conn)
    for found in graph.datasets()[place : place + 1]:
        for ask in asks(graph, found.full_name):
            assert_same(graph, copy, ask)
