"""Data quality: checks and metrics of datasets and runs, as query result and as root cause."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, dataset_event, run_event
from support.services.command_line import commands_on

from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.projection.rebuild import rebuild_graph
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]


def assertions(*results: tuple[Any, ...]) -> dict[str, Any]:
    """Return a dataQualityAssertions facet of (assertion, column, success[, more])."""
    return {
        "dataQualityAssertions": {
            "assertions": [
                {
                    "assertion": name,
                    "column": column,
                    "success": success,
                    **(more[0] if more else {}),
                }
                for name, column, success, *more in results
            ]
        }
    }


def checked(name: str, *results: tuple[Any, ...]) -> dict[str, Any]:
    """Return an input with checks of its run."""
    return dataset(name, inputFacets=assertions(*results))


def written(name: str, *results: tuple[Any, ...], **facets: Any) -> dict[str, Any]:
    """Return an output with checks of its run."""
    return dataset(name, outputFacets=assertions(*results), **facets)


NOT_NULL = ("not_null", "id", False, {"severity": "error", "expected": "0", "actual": "7"})
EVENTS = [
    run_event("load", "COMPLETE", 1, "load", writes=("raw",)),
    run_event("test1", "COMPLETE", 2, "test", reads=(checked("raw", ("unique", "id", True)),)),
    run_event(
        "test2", "COMPLETE", 3, "test", reads=(checked("raw", ("unique", "id", True), NOT_NULL),)
    ),
    run_event(
        "report", "COMPLETE", 4, "report", reads=("raw",),
        writes=(written("gold", ("row_count", None, False), ("unique", "id", True)),),
        test={"tests": [{"name": "fresh", "status": "pass"}, {"name": "slow", "status": "skip"}]},
    ),
    run_event(
        "test3", "COMPLETE", 5, "test", reads=(checked("raw", ("unique", "id", True)),)
    ),
    dataset_event(6, dataset("raw", dataQualityMetrics={"rowCount": 7, "columnMetrics": {}})),
    run_event("sheet", "COMPLETE", 7, "sheet", reads=("gold",), writes=("sheet",)),
]  # fmt: skip


@pytest.fixture
def graph(conn: Connection) -> Graph:
    write_events(conn, EVENTS)
    return Graph.over(conn)


@pytest.fixture
def asked(conn: Connection) -> Any:
    write_events(conn, EVENTS)

    return commands_on(conn)


def told(checks: Any) -> list[Any]:
    return [(c.part, c.dataset and c.dataset.name, c.check_title, c.success) for c in checks]


def test_of_a_dataset_the_newest_result_of_each_job_counts(graph: Graph) -> None:
    found = graph.quality("raw")
    assert told(found.checks) == [("dataset", "raw", "unique(id)", True)]
    assert (found.passed, found.failed, found.unknown, found.omitted) == (1, 0, 0, 0)
    [check] = found.checks
    assert check.run is not None
    assert check.job is not None
    assert (check.run.run_id, check.job.name) == ("test3", "test")
    assert check.checked_at == "2026-01-01T00:00:05.000000Z"


def test_which_of_my_inputs_failed_a_check(graph: Graph) -> None:
    found = graph.quality("sheet", upstream=True, failed=True)
    assert told(found.checks) == [("dataset", "gold", "row_count", False)]
    assert found.checks[0].distance == 1
    assert graph.quality("sheet", upstream=True).passed == 2
    assert graph.quality("sheet", failed=True).checks == ()
    assert graph.quality("sheet", upstream=True, limit=1).omitted == 2


def test_quality_of_a_run_has_its_checks_and_the_last_ones_of_its_inputs(graph: Graph) -> None:
    found = graph.run_quality("report")
    assert told(found.checks) == [
        ("test", None, "fresh", True),
        ("test", None, "slow", None),
        ("output", "gold", "row_count", False),
        ("output", "gold", "unique(id)", True),
        ("before", "raw", "unique(id)", True),
        ("before", "raw", "not_null(id)", False),
    ]
    failed = graph.run_quality("report", failed=True).checks
    assert failed[1].describe_result == "failed (error): expected 0, actual 7"
    with pytest.raises(NotFound):
        graph.run_quality("nobody")


def test_sql_answers_the_same(conn: Connection, graph: Graph) -> None:
    rows = conn.execute(
        "SELECT distance, name, job, run, assertion, success"
        " FROM lineage.quality('sheet', upstream => true, failed => true)"
    ).fetchall()
    assert rows == [(1, "gold", "report", "report", "row_count", False)]
    rows = conn.execute(
        "SELECT part, name, assertion, column_name, severity, expected, actual"
        " FROM lineage.run_quality('report', true)"
    ).fetchall()
    assert rows == [
        ("output", "gold", "row_count", None, None, None, None),
        ("before", "raw", "not_null", "id", "error", "0", "7"),
    ]


def test_show_has_checks_and_metrics(graph: Graph) -> None:
    shown = graph.dataset("raw")
    assert told(shown.checks) == [("dataset", "raw", "unique(id)", True)]
    assert shown.metrics is not None
    assert shown.metrics.metrics["rowCount"] == 7
    assert len(graph.run("report").checks) == 4


def test_facets_of_the_dataset_are_stored_with_the_run(conn: Connection) -> None:
    facet = assertions(("unique", "id", False))
    write_events(conn, [
        run_event("r1", "COMPLETE", 1, "a", writes=(dataset("x", **facet),)),
        run_event("r2", "COMPLETE", 2, "b", writes=(
            dataset("x", **assertions(("unique", "id", True))),)),
        dataset_event(3, dataset("x", **assertions(("fresh", None, False)))),
    ])  # fmt: skip
    found = Graph.over(conn).quality("x")
    assert [(c.job and c.job.name, c.success) for c in found.checks] == [
        ("a", False), ("b", True), (None, False),
    ]  # fmt: skip
    rebuild_graph(conn)
    again = Graph.over(conn).quality("x")
    assert [(c.assertion, c.success) for c in again.checks] == [
        (c.assertion, c.success) for c in found.checks
    ]


def test_failed_checks_are_causes(graph: Graph) -> None:
    causes = [c for c in graph.root_cause("sheet").causes if c.kind == "failed check"]
    assert [(c.distance, c.run.run_id, c.dataset and c.dataset.name) for c in causes] == [
        (1, "report", "gold"), (2, "test2", "raw"),
    ]  # fmt: skip
    assert "1 check of s3://lake/gold failed at 2026-01-01 00:00:04Z: row_count failed" in (
        causes[0].reason
    )
    assert "not_null(id) failed (error): expected 0, actual 7. Run report read it later" in (
        causes[1].reason
    )
    own = [c for c in graph.root_cause("report").causes if c.kind == "failed check"]
    assert [(c.distance, c.run.run_id) for c in own] == [(0, "report"), (1, "test2")]


def test_a_failed_test_of_the_run_is_a_cause(conn: Connection) -> None:
    write_events(conn, [run_event("r", "COMPLETE", 1, writes=("x",),
                           test={"tests": [{"name": "orphans", "status": "fail"}]})])  # fmt: skip
    graph = Graph.over(conn)
    [cause] = graph.root_cause("r").causes
    assert (cause.kind, cause.dataset, cause.checks) == ("failed check", None, ("orphans failed",))
    rows = conn.execute("SELECT kind, run FROM lineage.root_cause('r')").fetchall()
    assert rows == [("failed check", "r")]


def test_a_test_of_a_dataset_that_only_its_run_reports(conn: Connection) -> None:
    """A singular test of dbt is a run that reads the tested datasets and has a test facet."""
    fails = {"tests": [{"name": "positive", "status": "fail", "severity": "error"}]}
    write_events(conn, [
        run_event("t", "FAIL", 1, "positive", ("orders", "rates"),
                  of_job={"jobType": {"jobType": "TEST", "integration": "DBT"}}, test=fails),
        run_event("m", "COMPLETE", 2, "mart", ("orders",), ("mart",)),
    ])  # fmt: skip
    graph = Graph.over(conn)
    for name in ("orders", "rates"):
        assert told(graph.quality(name).checks) == [("dataset", name, "positive", False)]
    assert told(graph.run_quality("t").checks) == [("test", None, "positive", False)]
    [cause] = graph.root_cause("m").causes
    assert (cause.kind, cause.run.run_id) == ("failed check", "t")


def test_results_of_great_expectations_are_checks(conn: Connection) -> None:
    expected = {"assertions": [
        {"expectationType": "expect_column_values_to_not_be_null", "success": False,
         "column": "id"},
        {"expectationType": "expect_table_row_count_to_equal", "success": True, "column": None},
    ]}  # fmt: skip
    orders = dataset("orders", inputFacets={"greatExpectations_assertions": expected})
    write_events(conn, [
        run_event("suite", "COMPLETE", 1, "suite", (orders,)),
        run_event("m", "COMPLETE", 2, "mart", ("orders",), ("mart",)),
    ])  # fmt: skip
    graph = Graph.over(conn)
    assert told(graph.quality("orders").checks) == [
        ("dataset", "orders", "expect_column_values_to_not_be_null(id)", False),
        ("dataset", "orders", "expect_table_row_count_to_equal", True),
    ]
    [cause] = graph.root_cause("m").causes
    assert (cause.kind, cause.run.run_id) == ("failed check", "suite")


def test_a_check_after_the_read_is_no_cause(conn: Connection) -> None:
    write_events(conn, [
        run_event("w", "COMPLETE", 1, "w", writes=("x",)),
        run_event("r", "COMPLETE", 2, "r", reads=("x",), writes=("y",)),
        run_event("t", "COMPLETE", 3, "t", reads=(checked("x", ("unique", "id", False)),)),
    ])  # fmt: skip
    assert Graph.over(conn).root_cause("r").causes == ()


@pytest.mark.parametrize(
    "odd", [3, {}, {"assertions": 3}, {"assertions": [3, {}]}, {"assertions": [{"success": "x"}]}]
)
def test_an_odd_facet_stops_nothing(conn: Connection, odd: Any) -> None:
    facets = {"dataQualityAssertions": odd, "dataQualityMetrics": odd}
    write_events(conn, [run_event("r", "COMPLETE", 1, writes=(dataset("x", outputFacets=facets),))])
    graph = Graph.over(conn)
    assert {c.success for c in graph.quality("x").checks} <= {None}
    assert graph.root_cause("r").causes == ()


def test_the_command_reports_what_failed(asked: Any) -> None:
    assert asked("quality", "sheet", "--upstream", "--failed", code=1).splitlines() == [
        "2 passed, 1 failed.",
        "",
        "s3://lake/gold  (1 step upstream)  [report, 2026-01-01 00:00:04Z]",
        "  row_count  failed",
    ]
    of_run = asked("quality", "run", "report", code=1)
    assert "inputs, as last checked before the run read them" in of_run
    assert asked("quality", "raw").startswith("1 passed, 0 failed.")
    rows = json.loads(asked("quality", "run", "report", "--failed", "--format", "json", code=1))
    assert [(row["check"], row["success"], row["run_id"]) for row in rows] == [
        ("row_count", False, "report"), ("not_null", False, "test2"),
    ]  # fmt: skip
    assert "failed check" in asked("root-cause", "sheet")
