"""Impact, paths and columns tell what was true once from what a change affects now."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, derived, run_event, schema

from lineage import export
from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

JANUARY, MARCH, APRIL, MAY = "2026-01-05", "2026-03-04", "2026-04-02", "2026-05-06"


def at(day: str, text: str) -> str:
    return json.dumps({**json.loads(text), "eventTime": f"{day}T02:00:00Z"})


def ran(
    day: str,
    job: str,
    reads: tuple[Any, ...] = (),
    writes: tuple[Any, ...] = (),
    state: str = "COMPLETE",
) -> str:
    return at(day, run_event(f"{job} {day}", state, 0, job, reads, writes))


def when(day: str) -> str:
    return f"{day}T02:00:00.000000Z"


# mart read a until March, and b since then. report reads out; both end in dash.
MOVED = [
    ran(JANUARY, "mart", ("a",), ("out",)),
    ran(MARCH, "mart", ("a",), ("out",)),
    ran(APRIL, "mart", ("b",), ("out",)),
    ran(MAY, "mart", ("b",), ("out",)),
    ran(MAY, "report", ("out",), ("dash",)),
]


def test_a_dataset_that_is_no_longer_derived_is_stale(conn: Connection) -> None:
    """And so is what is made from that dataset."""
    write_events(conn, MOVED)
    found = Graph.over(conn).impact("a")
    assert [(d.dataset.name, d.stale, d.last_fed) for d in found.datasets] == [
        ("out", True, when(MARCH)),
        ("dash", True, when(MAY)),
    ]
    found = Graph.over(conn).impact("b")
    assert [(d.dataset.name, d.stale, d.last_fed) for d in found.datasets] == [
        ("out", False, when(MAY)),
        ("dash", False, when(MAY)),
    ]
    assert (found.itself.stale, found.itself.last_fed) == (False, None)


def test_the_last_read_of_a_job_is_of_the_dataset_and_not_its_last_run(conn: Connection) -> None:
    write_events(conn, MOVED)
    mart, report = Graph.over(conn).impact("a", window_days=365).jobs
    [read] = mart.inputs
    assert (read.dataset.name, read.last_read, read.stale) == ("a", when(MARCH), True)
    assert (mart.last_read, mart.is_stale) == (when(MARCH), True)
    assert (mart.runs, mart.reads, mart.last_run.run_id) == (4, 2, f"mart {MAY}")
    assert (report.last_read, report.is_stale, report.reads) == (when(MAY), False, 1)


def test_another_way_that_is_used_keeps_a_dataset_fresh(conn: Connection) -> None:
    """Also if the limit omits the datasets on it: a feeds far, which feeds out."""
    write_events(conn, [
        *MOVED,
        ran(MAY, "copy", ("a",), ("z1",)),
        ran(MAY, "copy2", ("z1",), ("z2",)),
        ran(MAY, "copy3", ("z2",), ("out",)),
    ])  # fmt: skip
    for limit in (1, None):
        out, *_ = Graph.over(conn).impact("a", limit=limit).datasets
        assert (out.dataset.name, out.stale, out.last_fed) == ("out", False, when(MAY))


def test_a_job_that_only_reads_is_stale_when_its_last_successful_run_read_something_else(
    conn: Connection,
) -> None:
    write_events(conn, [
        ran(JANUARY, "export", ("a",)),
        ran(MARCH, "export", ("b",)),
        ran(JANUARY, "check", ("a",)),
        ran(MARCH, "check", ("b",), state="FAIL"),
    ])  # fmt: skip
    jobs = {each.job.name: each for each in Graph.over(conn).impact("a").jobs}
    assert (jobs["export"].is_stale, jobs["export"].last_read) == (True, when(JANUARY))
    assert (jobs["check"].is_stale, jobs["check"].last_read) == (False, when(JANUARY))


def test_a_read_that_only_the_start_of_a_run_reported_is_of_this_run(conn: Connection) -> None:
    """Spark reports the inputs of a run at its start, and the outputs at its end."""
    write_events(conn, [
        at(MARCH, run_event("r", "START", 0, "mart", ("a",))),
        at(APRIL, run_event("r", "COMPLETE", 0, "mart", (), ("out",))),
    ])  # fmt: skip
    [mart] = Graph.over(conn).impact("a").jobs
    assert (mart.is_stale, mart.last_read) == (False, when(MARCH))


def test_a_job_that_read_one_of_two_datasets_again_is_not_stale(conn: Connection) -> None:
    write_events(conn, [
        ran(JANUARY, "make", ("a",), ("b",)),
        ran(MARCH, "mart", ("a", "b"), ("out",)),
        ran(APRIL, "mart", ("b",), ("out",)),
    ])  # fmt: skip
    mart = {each.job.name: each for each in Graph.over(conn).impact("a").jobs}["mart"]
    assert [(read.dataset.name, read.stale) for read in mart.inputs] == [("a", True), ("b", False)]
    assert (mart.is_stale, mart.last_read, mart.reads) == (False, when(APRIL), 2)


def test_the_edges_of_paths_are_stale_like_those_of_traces(conn: Connection) -> None:
    write_events(conn, MOVED)
    found = Graph.over(conn).paths("a", "dash")
    assert [(edge.source.name, edge.stale) for edge in found.edges] == [("a", True), ("out", False)]
    rows = export.rows(found)
    assert [(row["source"], row["last_seen"], row["stale"]) for row in rows] == [
        ("s3://lake/a", when(MARCH), True),
        ("s3://lake/out", when(MAY), False),
    ]


def column_run(day: str, source: str) -> str:
    """Return a run that computes rev.total from a column of orders."""
    orders = dataset("orders", schema=schema(amount="int", net="int"))
    lineage = derived(("total", "orders", source))
    return ran(day, "rev", (orders,), (dataset("rev", columnLineage=lineage),))


@pytest.fixture
def columns(conn: Connection) -> Graph:
    total = dataset("dash", columnLineage=derived(("sum", "rev", "total")))
    write_events(conn, [
        column_run(JANUARY, "amount"), column_run(MARCH, "amount"), column_run(APRIL, "net"),
        ran(MAY, "report", ("rev",), (total,)),
    ])  # fmt: skip
    return Graph.over(conn)


def test_a_column_that_is_no_longer_computed_from_another_has_a_stale_edge(columns: Graph) -> None:
    upstream = columns.column_lineage("rev", "total")
    assert [(e.source.name, e.last_seen, e.stale) for e in upstream.edges] == [
        ("amount", when(MARCH), True),
        ("net", when(APRIL), False),
    ]
    assert [row["stale"] for row in export.rows(upstream)] == [True, False]
    assert [edge.stale for edge in columns.column_lineage("rev", "total", "downstream").edges] == [
        False
    ]


@pytest.mark.parametrize(
    ("column", "stale", "fed"), [("amount", True, MARCH), ("net", False, APRIL)]
)
def test_impact_of_a_column_marks_what_is_no_longer_derived_from_it(
    columns: Graph, column: str, stale: bool, fed: str
) -> None:
    found = columns.impact("orders", column)
    assert [(d.dataset.name, d.stale, d.last_fed) for d in found.datasets] == [
        ("rev", stale, when(fed)),
        ("dash", stale, when(MAY)),
    ]
    rev, report = found.jobs
    assert [(j.job.name, j.last_read, j.is_stale) for j in (rev, report)] == [
        ("rev", when(fed), stale),
        ("report", when(MAY), False),
    ]


def test_the_subgraph_marks_its_column_edges(columns: Graph) -> None:
    found = columns.subgraph(["orders", "rev"], ["orders", "rev"])
    assert {edge.source.name: edge.stale for edge in found.column_edges} == {
        "amount": True, "net": False,
    }  # fmt: skip
    march = columns.subgraph(["orders", "rev"], ["orders", "rev"], time="2026-03-31")
    assert [(edge.source.name, edge.stale) for edge in march.column_edges] == [("amount", False)]
    april = columns.subgraph(["orders", "rev"], ["orders", "rev"], time="2026-04-30")
    assert {edge.source.name: edge.stale for edge in april.column_edges} == {
        "amount": True, "net": False,
    }  # fmt: skip
