"""Suggestions for names that nothing has: jobs, datasets, or both, as the place allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from lineage_cli import main
from support.events.builders import run_event

import lineage
from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.query.filters import Filters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import psycopg

    from lineage.query import Graph

    Connection = psycopg.Connection[Any]

JOB, DATASET = "etl/clean_orders", "s3://lake/silver/customers"


@pytest.fixture
def graph(conn: Connection, dsn: str) -> Iterator[Graph]:
    write_events(
        conn,
        [
            run_event("r1", "COMPLETE", 1, "clean_orders", ("raw/orders",), ("silver/orders",)),
            run_event("r2", "COMPLETE", 2, "dim_customers", ("raw/people",), ("silver/customers",)),
            run_event("r3", "COMPLETE", 3, "revenue", ("silver/orders",), ("gold/revenue",)),
        ],
    )
    with lineage.connect(dsn) as graph:
        yield graph


@pytest.mark.parametrize(
    ("ask", "hint"),
    [
        (lambda graph: graph.job_lineage("clean_order", "upstream"), JOB),
        (lambda graph: graph.job_lineage("silver/customer", "upstream"), DATASET),
        (lambda graph: graph.job("clean_order"), JOB),
        (lambda graph: graph.job_runs("clean_order"), JOB),
        (lambda graph: graph.root_cause("dim_custmers"), "etl/dim_customers"),
        (lambda graph: graph.root_cause("silver/customer"), DATASET),
        (lambda graph: graph.upstream("gold/revenue", filters=Filters(jobs=("clean_order",))), JOB),
    ],
)
def test_a_mistyped_name_gets_a_job_where_jobs_are_allowed(
    graph: Graph, ask: Callable[[Graph], object], hint: str
) -> None:
    with pytest.raises(NotFound) as error:
        ask(graph)
    assert error.value.hint is not None
    assert error.value.hint.startswith(f"Did you mean {hint}")


def test_a_job_and_a_dataset_of_one_name_are_both_suggested(graph: Graph) -> None:
    with pytest.raises(NotFound) as error:
        graph.job_lineage("revenu", "upstream")
    assert error.value.hint == "Did you mean etl/revenue or s3://lake/gold/revenue?"


@pytest.mark.parametrize("command", ["show", "runs"])
def test_commands_for_both_suggest_both(graph: Graph, dsn: str, command: str) -> None:
    for name, hint in (("clean_order", JOB), ("silver/customer", DATASET)):
        result = CliRunner().invoke(main, [command, name, "--dsn", dsn])
        assert result.exit_code == 1
        assert f"Did you mean {hint}" in result.stderr
