"""Designs of jobs that only read, such as the exposures of dbt, or only write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, job_event, run_event, schema

from lineage.database import migrations
from lineage.ingest.writer import write_events
from lineage.orchestration import plan_jobs
from lineage.orchestration.sources import rank_sources
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    from lineage.query.health import Orphan

    Connection = psycopg.Connection[Any]

EXPOSURE = {"jobType": {"jobType": "EXPOSURE"}, "ownership": {"owners": [{"name": "sales"}]}}
ORDERS = dataset("orders", schema=schema(amount="int"))
EVENTS = [
    run_event("r", "COMPLETE", 1, "clean", reads=("raw",), writes=(ORDERS,)),
    job_event(2, "dashboard", reads=("orders",), **EXPOSURE),
    job_event(2, "landing", writes=("raw",)),
]


@pytest.fixture
def graph(conn: Connection) -> Graph:
    write_events(conn, EVENTS)
    return Graph.over(conn)


def test_impact_lists_an_exposure_of_a_dependent_dataset(graph: Graph) -> None:
    impact = graph.impact("raw")
    jobs = {job.job.name: (job.distance, job.declared) for job in impact.jobs}
    assert jobs == {"clean": (1, False), "dashboard": (2, True)}
    assert {owner.name: owner.jobs for owner in impact.owners if owner.jobs} == {
        None: 1,
        "sales": 1,
    }
    assert "dashboard" not in {job.job.name for job in graph.impact("raw", observed=True).jobs}


def test_show_names_the_inputs_of_the_job_and_the_job_of_the_inputs(graph: Graph) -> None:
    assert [each.name for each in graph.job("dashboard").declared_inputs] == ["orders"]
    assert [each.name for each in graph.job("landing").declared_outputs] == ["raw"]
    assert [each.name for each in graph.dataset("orders").declared_read_by] == ["dashboard"]
    assert [each.name for each in graph.dataset("raw").declared_written_by] == ["landing"]


def test_a_trace_of_jobs_ends_at_the_exposure(graph: Graph) -> None:
    before = {node.job.name: node.distance for node in graph.job_lineage("etl/dashboard").nodes}
    assert before == {"dashboard": 0, "clean": 1, "landing": 2}
    after = graph.job_lineage("etl/landing", "downstream")
    assert [(edge.source.name, edge.target.name, edge.declared) for edge in after.edges] == [
        ("landing", "clean", True), ("clean", "dashboard", True),
    ]  # fmt: skip


def test_a_newer_design_withdraws_an_input(conn: Connection, graph: Graph) -> None:
    write_events(conn, [job_event(3, "dashboard", reads=("raw",), **EXPOSURE)])
    assert [each.name for each in graph.job("dashboard").declared_inputs] == ["raw"]
    assert graph.dataset("orders").declared_read_by == ()


def test_a_job_that_only_writes_precedes_the_readers_and_an_exposure_is_no_job(
    conn: Connection, graph: Graph
) -> None:
    write_events(conn, [job_event(4, "report", reads=("orders",))])
    levels = [[each.job.name for each in level] for level in plan_jobs(graph.session).jobs_by_level]
    assert levels == [["landing"], ["clean"], ["report"]]


def test_a_dataset_of_such_a_design_is_referenced(conn: Connection, graph: Graph) -> None:
    write_events(conn, [job_event(4, "report", reads=("forecast",))])
    orphans = graph.orphans().orphans
    assert "forecast" not in {each.entity.name for each in orphans if each.kind == "unreferenced"}


def test_a_dataset_that_a_design_reads_is_used(conn: Connection) -> None:
    write_events(conn, [*EVENTS, run_event("s", "COMPLETE", 5, "sum", ("raw",), ("sums", "rest"))])
    assert {each.entity.name for each in _unused(conn)} == {"sums", "rest"}
    write_events(conn, [job_event(6, "monthly", reads=("sums",), writes=("month",))])
    assert {each.entity.name for each in _unused(conn)} == {"rest"}


def _unused(conn: Connection) -> list[Orphan]:
    return [each for each in Graph.over(conn).orphans().orphans if each.kind == "unused"]


def test_show_names_the_inputs_of_a_job_whose_runs_wrote_nothing(conn: Connection) -> None:
    write_events(conn, [run_event("r", "COMPLETE", 1, "mail", reads=("orders",))])
    job = Graph.over(conn).job("etl/mail")
    assert [each.name for each in job.inputs] == ["orders"]


UNREADABLE = run_event("x", "COMPLETE", 9, "odd", error="a\x00b")
INFERRED = {
    "lineage_confidence": {
        "inputs": [{"namespace": "s3://lake", "name": "orders", "confidence": 0.5}]
    }
}


def test_a_migration_reads_the_designs_of_the_log(conn: Connection, graph: Graph) -> None:
    write_events(conn, [UNREADABLE, job_event(3, "guessed", reads=("orders",), **INFERRED)])
    accesses = "SELECT * FROM lineage.design_access ORDER BY holder, dataset, output"
    written = conn.execute(accesses).fetchall()
    downgrade(conn)
    assert migrations.apply_pending(conn) == ["0011_design_accesses", "functions"]
    assert conn.execute(accesses).fetchall() == written
    assert len(written) == 3


def downgrade(conn: Connection) -> None:
    conn.execute("""
        DROP TABLE lineage.design_access CASCADE;
        DROP INDEX lineage.dataset_job_job, lineage.declared_holder_source,
            lineage.declared_holder_target;
        CREATE INDEX declared_holder ON lineage.declared (holder);
        DELETE FROM lineage.migration WHERE number = 11;
        DELETE FROM lineage.function_set""")


def test_a_column_of_an_exposure_is_unreported(graph: Graph) -> None:
    impact = graph.impact("orders", "amount")
    assert [(each.source.name, each.job and each.job.name, each.declared)
            for each in impact.unreported] == [("orders", "dashboard", True)]  # fmt: skip


def test_a_job_whose_runs_produce_something_from_a_dataset_of_its_design_is_reported(
    conn: Connection,
) -> None:
    from_orders = {"inputs": [{"type": "DATASET", "namespace": "s3://lake", "name": "orders"}]}
    write_events(conn, [
        run_event("r", "COMPLETE", 1, "report", writes=(dataset("total", lineage=from_orders),)),
        job_event(2, "report", reads=(ORDERS,)),
    ])  # fmt: skip
    assert [(each.source.name, each.target and each.target.name)
            for each in Graph.over(conn).impact("orders", "amount").unreported
            ] == [("orders", "total")]  # fmt: skip


def test_an_exposure_is_a_product_and_its_inputs_are_sources(conn: Connection) -> None:
    write_events(conn, [
        run_event("r", "COMPLETE", 1, "clean", reads=("raw",), writes=("orders",)),
        job_event(2, "dashboard", reads=("orders", "sheet"), **EXPOSURE),
    ])  # fmt: skip
    sources = {
        each.dataset.name: each.products for each in rank_sources(Graph.over(conn).session).sources
    }
    assert sources == {"raw": 1, "sheet": 1}
