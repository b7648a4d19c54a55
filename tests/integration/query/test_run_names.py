"""Names of runs: the run id, a prefix of it, or the job or dataset whose last run it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import psycopg
import pytest
from support.events.builders import dataset, run_event
from support.services.command_line import answer, graph_of

import lineage
from lineage.errors import Ambiguous, NotFound
from lineage.ingest.writer import write_events
from lineage.query.names import resolve_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.query import Graph

A, B, C, D = (f"0198c6f0-22a{n}-7000-8000-000000000001" for n in "1234")
EVENTS = [
    run_event(A, "FAIL", 0, "load", writes=("raw/orders",), errorMessage={"message": "no disk"}),
    run_event(B, "COMPLETE", 60, "load", writes=("raw/orders",)),
    run_event(C, "COMPLETE", 120, "clean", reads=("raw/orders",), writes=("silver/orders",)),
    run_event(D, "ABORT", 90, "clean", reads=("raw/orders",), writes=("silver/orders",)),
    run_event("load", "COMPLETE", 150, "other", reads=("silver/orders",)),
    run_event("load-2", "COMPLETE", 160, "other"),
    run_event("clean-up-7", "COMPLETE", 170, "other"),
    run_event("orders-1", "COMPLETE", 180, "other"),
    run_event("orders-2", "COMPLETE", 190, "other"),
]
_graph = graph_of(EVENTS)


@pytest.fixture
def graph(dsn: str) -> Iterator[Graph]:
    with lineage.connect(dsn) as graph:
        yield graph


@pytest.mark.parametrize(
    ("name", "last", "last_failed"),
    [
        (B, B, B),
        (B[:13], B, B),
        ("load", "load", "load"),  # an id takes precedence over a name
        ("etl/load", B, A),
        ("clean", C, D),
        ("silver/orders", C, D),
        ("load-", "load-2", "load-2"),
    ],
)
def test_the_run_that_a_name_stands_for(
    graph: Graph, name: str, last: str, last_failed: str
) -> None:
    assert resolve_run(graph.session, name) == last
    assert resolve_run(graph.session, name, last_failed=True) == last_failed
    assert graph.root_cause(name).run.run_id == last
    assert graph.root_cause(name, last_failed=True).run.run_id == last_failed
    assert (
        graph.run_lineage(name).root.run_id
        == graph.run_lineage(name, "downstream").root.run_id
        == last
    )
    assert graph.run_diff(name, A).before.run_id == last


def test_a_name_goes_before_the_beginning_of_an_id() -> None:
    assert answer("show", "clean").startswith("job         etl/clean")
    assert answer("show", "silver/orders").startswith("dataset     s3://lake/silver/orders")
    assert answer("show", "orders-1").startswith("run         orders-1")
    assert answer("show", "clean-up").startswith("run         clean-up-7")
    assert answer("root-cause", "clean").startswith(f"run {C}")


def test_an_ambiguous_run_id_is_an_error_with_candidates(graph: Graph) -> None:
    with pytest.raises(Ambiguous) as error:
        resolve_run(graph.session, "0198c6f0")
    assert error.value.candidates == [A, B, C, D]
    for name in ("", "nothing", "0198c6f1", A + "0"):
        with pytest.raises(NotFound, match=f'No run has the id "{name}"'):
            resolve_run(graph.session, name)
    with pytest.raises(NotFound, match="No failed run of etl/other is known"):
        resolve_run(graph.session, "other", last_failed=True)


def test_the_command_line_takes_names_of_runs_everywhere() -> None:
    assert answer("root-cause", "clean", "--last-failed").startswith(f"run {D}  [ABORT")
    assert answer("show", A[:13]).splitlines()[0] == f"run         {A}"
    assert answer("query", "run", "clean").splitlines()[0].startswith(f"run {C}")
    assert answer("query", "run", C[:13]) == answer("query", "run", C)
    # With ``at``, a dataset name means the dataset, not its last run.
    assert answer("query", "at", "silver/orders").startswith("s3://lake/silver/orders")
    differ = answer("diff", "run", "load-2", "clean").splitlines()
    assert differ[1].startswith(f"+ run {C}")
    [event] = json.loads(answer("events", "--run", A[:13], "--format", "json"))
    assert event["run_id"] == A
    [event] = json.loads(answer("events", "--run", "etl/load", "--format", "json"))
    assert event["run_id"] == B
    rows = json.loads(answer("queries", "run", "run_io", "run_id=clean", "--format", "json"))
    assert {row["name"] for row in rows} == {"raw/orders", "silver/orders"}
    assert answer("events", "--run", "nothing", "--format", "jsonl") == ""


def test_show_takes_the_last_run_of_a_job_or_dataset() -> None:
    for name in ("clean", "silver/orders", C[:13]):
        assert answer("show", name, "--last-run").splitlines()[0] == f"run         {C}"
    assert answer("show", "clean").startswith("job         etl/clean")


def test_quality_takes_names_of_runs(dsn: str) -> None:
    check = {"assertions": [{"assertion": "not_null", "success": True, "column": "id"}]}
    checked = dataset("gold/orders", dataQualityAssertions=check)
    run = "0198c6f0-22a5-7000-8000-000000000001"
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, [run_event(run, "COMPLETE", 300, "report", writes=(checked,))])
    of_run = answer("quality", "run", run)
    assert "outputs that the run checked" in of_run
    assert answer("quality", "run", run[:13]) == of_run
    assert answer("quality", "run", "report") == of_run
    assert answer("quality", "run", "gold/orders") == of_run
    assert "outputs that the run checked" not in answer("quality", "gold/orders")
    with lineage.connect(dsn) as graph:
        assert graph.run_quality("report").root == graph.run_quality(run).root


@pytest.mark.parametrize(
    "function",
    ["upstream_runs", "downstream_runs", "run_lineage_by_job", "root_cause", "run_quality"],
)
def test_a_function_over_a_run_that_does_not_exist_is_an_error(
    conn: psycopg.Connection, function: str
) -> None:
    with pytest.raises(psycopg.errors.NoDataFound, match='no run has the id "nonsense"'):
        conn.execute(f"SELECT * FROM lineage.{function}('nonsense')")
