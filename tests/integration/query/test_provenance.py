"""The facade ``Graph`` on a small graph."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import dataset, run_event
from support.properties import examples_in_one_database

import lineage
from lineage.errors import Ambiguous, DatabaseUnavailable, NotFound
from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.names import resolve_dataset

if TYPE_CHECKING:
    import psycopg

    from lineage.query.records import Trace

    Connection = psycopg.Connection[Any]


def distances(trace: Trace) -> dict[str, int]:
    return {node.dataset.name: node.distance for node in trace.nodes}


def test_upstream_has_the_sources_and_their_distance(provenance: Graph) -> None:
    assert distances(provenance.upstream("gold/dashboard")) == {
        "gold/dashboard": 0,
        "gold/revenue": 1,
        "silver/orders": 2,
        "silver/rates": 2,
        "raw/orders": 3,
        "raw/rates": 3,
    }


def test_downstream_has_the_derived_datasets_and_none_of_failed_runs(
    provenance: Graph,
) -> None:
    assert distances(provenance.downstream("raw/orders")) == {
        "raw/orders": 0,
        "silver/orders": 1,
        "gold/revenue": 2,
        "gold/dashboard": 3,
    }


def test_depth_bounds_a_trace(provenance: Graph) -> None:
    trace = provenance.upstream("gold/dashboard", depth=2)
    assert max(distances(trace).values()) == 2
    assert {(e.source.name, e.target.name) for e in trace.edges} == {
        ("gold/revenue", "gold/dashboard"),
        ("silver/orders", "gold/revenue"),
        ("silver/rates", "gold/revenue"),
    }


def test_both_directions_are_the_union_and_no_siblings(provenance: Graph) -> None:
    assert distances(provenance.dataset_lineage("silver/rates", "both")) == {
        "silver/rates": 0,
        "raw/rates": 1,
        "gold/revenue": 1,
        "gold/dashboard": 2,
    }


def test_an_edge_reports_job_runs_and_last_run(provenance: Graph) -> None:
    [edge] = [e for e in provenance.upstream("gold/revenue", 1).edges if "orders" in e.source.name]
    assert (edge.job.name, edge.runs) == ("report", 2)
    assert (edge.first_seen, edge.last_seen) == (
        "2026-01-01T00:00:30.000000Z",
        "2026-01-01T00:00:50.000000Z",
    )
    assert (edge.last_run.run_id, edge.last_run.state) == ("report-2", "COMPLETE")


@pytest.mark.parametrize(
    "name",
    [
        "s3://lake/silver/orders",
        "s3://lake:silver/orders",
        "silver/orders",
        "s3://lake/shop.orders",
        "shop.orders",
    ],
)
def test_a_dataset_has_many_names(provenance: Graph, name: str) -> None:
    assert resolve_dataset(provenance.session, name).full_name == "s3://lake/silver/orders"


def test_an_ending_that_fits_several_lists_them(provenance: Graph) -> None:
    with pytest.raises(Ambiguous) as error:
        resolve_dataset(provenance.session, "orders")
    assert error.value.candidates == ["s3://lake/raw/orders", "s3://lake/silver/orders"]
    assert error.value.message == '"orders" matches 2 datasets.'


def test_a_suffix_begins_after_a_separator(provenance: Graph) -> None:
    with pytest.raises(NotFound):
        resolve_dataset(provenance.session, "evenue")


@pytest.mark.parametrize("name", ["gold/revenu", "revenu"])
def test_a_mistyped_name_gets_a_suggestion(provenance: Graph, name: str) -> None:
    with pytest.raises(NotFound) as error:
        resolve_dataset(provenance.session, name)
    assert error.value.message == f'No dataset is called "{name}".'
    assert error.value.hint == "Did you mean s3://lake/gold/revenue?"


def test_names_with_all_characters_are_resolved(conn: Connection, dsn: str) -> None:
    names = ["/tmp/a b", "100%", "under_score", "o'brien", "ä\\b", "$$", "a:b/c.d"]
    write_events(
        conn,
        [run_event("r", "COMPLETE", 1, writes=tuple(dataset(n, namespace="file") for n in names))],
    )
    with lineage.connect(dsn) as answers:
        for name in names:
            found = resolve_dataset(answers.session, name)
            assert found.name == name
            assert resolve_dataset(answers.session, found.full_name) == found


def test_show_reports_all_of_a_dataset(provenance: Graph) -> None:
    shown = provenance.dataset("silver/orders")
    assert shown.aliases == ("s3://lake/shop.orders",)
    assert shown.facets["storage"] == {"fileFormat": "parquet"}
    assert [job.name for job in shown.written_by] == ["clean"]
    assert [job.name for job in shown.read_by] == ["broken", "report"]
    assert provenance.dataset("raw/orders").tags == ("pii", "tier:1")


def test_show_reports_all_of_a_job(provenance: Graph) -> None:
    shown = provenance.job("report")
    assert [d.name for d in shown.inputs] == ["silver/orders", "silver/rates"]
    assert [d.name for d in shown.outputs] == ["gold/revenue"]


def test_show_reports_all_of_a_run(provenance: Graph) -> None:
    shown = provenance.run("report-1")
    assert (shown.run.state, shown.run.started_at, shown.run.ended_at) == (
        "COMPLETE",
        "2026-01-01T00:00:30.000000Z",
        "2026-01-01T00:00:40.000000Z",
    )
    assert [(a.committed, a.dataset.name) for a in shown.accesses] == [
        (False, "silver/orders"),
        (False, "silver/rates"),
        (True, "gold/revenue"),
    ]
    assert shown.accesses[2].facets["outputStatistics"] == {"rowCount": 7, "size": 700}
    assert provenance.run("app-1").children == ("clean-1",)
    assert provenance.run("clean-1").parents == ("app-1",)


def test_a_failed_run_reports_its_error(provenance: Graph) -> None:
    run = provenance.run("broken-1").run
    assert (run.state, run.error) == ("FAIL", "no space left")
    [output] = [a for a in provenance.run("broken-1").accesses if a.is_output]
    assert (output.committed, output.access_kind, output.dataset.name) == (
        False,
        "was to write",
        "gold/fraud",
    )
    assert provenance.dataset("gold/fraud").written_by == ()


def test_a_batch_that_goes_on_has_not_written_and_a_stream_has(
    provenance: Graph, conn: Connection
) -> None:
    stream = json.loads(run_event("s", "RUNNING", 90, "stream", (), ("live",)))
    stream["job"]["facets"] = {"jobType": {"processingType": "STREAMING"}}
    write_events(conn, [run_event("b", "START", 90, "batch", (), ("later",)), json.dumps(stream)])
    assert [a.access_kind for run in ("b", "s") for a in provenance.run(run).accesses] == [
        "writes",
        "wrote",
    ]


def test_runs_come_newest_first(provenance: Graph) -> None:
    runs = provenance.dataset_runs("gold/revenue")
    assert [(a.run.run_id, a.committed) for a in runs] == [
        ("publish-1", False),
        ("report-2", True),
        ("report-1", True),
    ]
    assert [run.run_id for run in provenance.job_runs("report")] == ["report-2", "report-1"]
    assert [run.run_id for run in provenance.job_runs("report", limit=1)] == ["report-2"]


def test_lists_of_datasets_and_jobs(provenance: Graph) -> None:
    assert [d.name for d in provenance.datasets("gold")] == [
        "gold/dashboard",
        "gold/fraud",
        "gold/revenue",
    ]
    assert [j.name for j in provenance.jobs("p")] == ["app", "publish", "report"]


def test_an_unknown_job_and_run_are_reported(provenance: Graph) -> None:
    with pytest.raises(NotFound, match='No job is called "nobody"'):
        provenance.job("nobody")
    with pytest.raises(NotFound, match='No run has the id "none"'):
        provenance.run("none")


def test_a_connection_that_ended_is_reported(provenance: Graph, shop: Connection) -> None:
    shop.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with pytest.raises(DatabaseUnavailable):
        resolve_dataset(provenance.session, "gold/revenue")


def test_sql_functions_answer_in_psql_too(shop: Connection) -> None:
    rows = shop.execute("SELECT distance, name FROM lineage.upstream('gold/revenue')").fetchall()
    assert rows == [
        (0, "gold/revenue"),
        (1, "silver/orders"),
        (1, "silver/rates"),
        (2, "raw/orders"),
        (2, "raw/rates"),
    ]
    rows = shop.execute("SELECT distance, name FROM lineage.downstream('raw/rates', 1)").fetchall()
    assert rows == [(0, "raw/rates"), (1, "silver/rates")]


links = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=14)


@examples_in_one_database(30)
@given(links=links, depth=st.none() | st.integers(0, 4))
def test_a_trace_is_the_reachable_set(
    conn: Connection, links: list[tuple[int, int]], depth: int | None
) -> None:
    conn.execute("DELETE FROM lineage.feeds")
    conn.cursor().executemany(
        "INSERT INTO lineage.feeds VALUES (%s, %s, 1, 1, now(), now(), lineage.next_id('FEEDS'))"
        " ON CONFLICT (source, target, job) DO NOTHING",
        links,
    )
    reached = {0: 0}
    for step in range(1, 8 if depth is None else depth + 1):
        for source, target in links:
            if reached.get(source) == step - 1:
                reached.setdefault(target, step)
    rows = conn.execute(
        "SELECT * FROM lineage.trace_datasets(0, 'downstream', %s)", (depth,)
    ).fetchall()
    assert dict(rows) == reached


def test_a_trace_goes_thousands_of_steps_and_never_ends_early(conn: Connection) -> None:
    """A table created each day from that of the day before is such a chain."""
    conn.execute("INSERT INTO lineage.feeds SELECT n, n + 1, 1, 1, now(), now(), n"
                 " FROM generate_series(1, 16500) AS n")  # fmt: skip
    trace = "SELECT count(*), max(distance) FROM lineage.trace_datasets(%s, %s, %s)"
    for root, direction, depth, steps in [
        (1000, "downstream", None, 15501),
        (1, "downstream", 16400, 16400),
        (1, "downstream", None, 16500),
        (9000, "upstream", None, 8999),
    ]:
        [(met, farthest)] = conn.execute(trace, (root, direction, depth)).fetchall()
        assert (met, farthest) == (steps + 1, steps)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_runs_that_ended_together_the_same_is_the_newest_in_any_order(
    order: tuple[int, int], conn: Connection, dsn: str
) -> None:
    runs = [run_event(run, "COMPLETE", 10, "j", ("a",), ("b",)) for run in ("one", "two")]
    write_events(conn, [runs[n] for n in order])
    with lineage.connect(dsn) as graph:
        [traced] = graph.upstream("b").edges
        [passed] = graph.paths("a", "b").edges
        [affected] = [each.last_run for each in graph.impact("a").jobs]
        assert {run.run_id for run in (traced.last_run, passed.last_run, affected)} == {"one"}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_a_limit_leaves_out_the_same_of_runs_that_ended_together(
    order: tuple[int, ...], conn: Connection
) -> None:
    runs = [run_event(run, "COMPLETE", 10, "j", (), ("b",)) for run in ("one", "three", "two")]
    for n in order:
        write_events(conn, [runs[n]])
    graph = Graph.over(conn)
    assert [access.run.run_id for access in graph.dataset_runs("b", 2)] == ["one", "three"]
    assert [run.run_id for run in graph.job_runs("j", 2)] == ["one", "three"]
