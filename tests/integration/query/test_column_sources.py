"""Sources that only the column lineage of an output names.

dbt-ol reports the seeds and snapshots that a model reads in this way only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, derived, job_event, run_event
from support.exported_results import assert_same

from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

COLUMNS = derived(("id", "seeds/customers", "id"), ("rate", "raw/rates", "rate"))
CUSTOMERS = dataset("stg/customers", columnLineage=COLUMNS)


def names(datasets: Any) -> set[str]:
    return {each.name for each in datasets}


@pytest.mark.parametrize("in_one_batch", [True, False])
def test_datasets_and_columns_have_the_same_sources(conn: Connection, in_one_batch: bool) -> None:
    events = [
        run_event("r", "START", 1, "model", ("raw/rates",), ("stg/customers",)),
        run_event("r", "COMPLETE", 2, "model", ("raw/rates",), (CUSTOMERS,)),
    ]
    write_events(conn, events, len(events) if in_one_batch else 1)
    graph = Graph.over(conn)
    sources = {"seeds/customers", "raw/rates"}
    assert names(graph.upstream("stg/customers").datasets) == sources
    for column, source in (("id", "seeds/customers"), ("rate", "raw/rates")):
        [traced] = graph.column_lineage("stg/customers", column).columns
        assert traced.dataset.name == source
    assert names(graph.downstream("seeds/customers").datasets) == {"stg/customers"}
    # The job did not report a read of it.
    assert names(a.dataset for a in graph.run("r").accesses if not a.is_output) == {"raw/rates"}


def test_a_run_that_failed_was_not_fed(conn: Connection) -> None:
    write_events(
        conn,
        [
            run_event("r", "COMPLETE", 1, "model", (), (CUSTOMERS,)),
            run_event("r", "FAIL", 2, "model"),
        ],
    )
    assert Graph.over(conn).upstream("stg/customers").datasets == ()


def test_an_output_that_names_its_own_columns_is_not_its_own_source(conn: Connection) -> None:
    """As an UPDATE does: dataset lineage would show a cycle of one dataset."""
    write_events(
        conn,
        [
            run_event(
                "r",
                "COMPLETE",
                1,
                "update",
                ("a",),
                (dataset("b", columnLineage=derived(("x", "b", "x"))),),
            )
        ],
    )
    assert [
        (edge.source.name, edge.target.name) for edge in Graph.over(conn).upstream("b").edges
    ] == [("a", "b")]


@pytest.mark.parametrize("known", ["before", "with", "after"])
@pytest.mark.parametrize("reads_itself", [False, True])
def test_an_output_is_its_own_source_by_another_name_only_if_the_run_reads_it(
    conn: Connection, known: str, reads_itself: bool
) -> None:
    """The columns of a MERGE name the table; the output is its path."""
    named = dataset("path/t", ("db.t",))
    columns = derived(("x", "db.t", "x"), ("x", "a", "x"))
    written = dataset("path/t", ("db.t",) if known == "with" else (), columnLineage=columns)
    merge = run_event("r", "COMPLETE", 2, "merge", ("a", *(["db.t"] * reads_itself)), (written,))
    naming = [run_event("n", "COMPLETE", 1, "create", (), (named,))] if known != "with" else []
    write_events(conn, [*naming, merge] if known == "before" else [merge, *naming], 1)
    edges = Graph.over(conn).upstream("path/t").edges
    own = {("path/t", "path/t")} if reads_itself else set()
    assert {(edge.source.name, edge.target.name) for edge in edges} == {("a", "path/t"), *own}
    counted = conn.execute(
        "SELECT f.runs, (SELECT count(*) FROM lineage.execution e WHERE e.job = f.job"
        " AND lineage.contributes_to_feeds(e.run, e.job, f.source, f.target)) FROM lineage.feeds f"
    ).fetchall()
    assert counted == [(1, 1)] * len(edges)


def test_a_design_has_the_sources_of_its_columns(conn: Connection) -> None:
    write_events(conn, [job_event(1, "model", ("raw/rates",), (CUSTOMERS,))])
    graph = Graph.over(conn)
    edges = graph.upstream("stg/customers").edges
    assert {edge.source.name for edge in edges} == {"seeds/customers", "raw/rates"}


def test_an_export_has_the_same_sources(conn: Connection, copy: Connection) -> None:
    write_events(conn, [run_event("r", "COMPLETE", 1, "model", ("raw/rates",), (CUSTOMERS,))])
    graph = Graph.over(conn)
    assert len(graph.upstream("stg/customers").edges) == 2
    assert_same(graph, copy, lambda graph: graph.upstream("s3://lake/stg/customers"))
