"""The operators of real queries with their rows, against the numbers that the data have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import lineage.records as records
from lineage.records.query_operators import Operator, infer_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lineage.records.reports import PipelineReport


@pytest.fixture(scope="module")
def lake(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,000 orders, 100 of each customer 0 to 9; customers 0 to 6; in a few files."""
    place = tmp_path_factory.mktemp("operators")
    orders = spark.range(0, 1000, 1, 4).selectExpr("id", "id % 10 AS customer")
    orders.write.parquet(str(place / "orders"))
    customers = spark.range(0, 7).selectExpr("id AS customer", "concat('c', id) AS name")
    customers.write.parquet(str(place / "customers"))
    return place


@pytest.fixture(params=["adaptive", "fixed", "generated", "sorted"])
def session(request: pytest.FixtureRequest, spark: Any) -> Iterator[Any]:
    """A session with AQE, without it, with generated code, and with sort merge joins."""
    values = {
        "spark.sql.adaptive.enabled": str(request.param != "fixed").lower(),
        "spark.sql.codegen.wholeStage": str(request.param == "generated").lower(),
        "spark.sql.autoBroadcastJoinThreshold": "-1" if request.param == "sorted" else "10MB",
    }
    before = {key: spark.conf.get(key) for key in values}
    for key, value in values.items():
        spark.conf.set(key, value)
    yield spark
    for key, value in before.items():
        spark.conf.set(key, value)


def rows_of(report: PipelineReport, operator: str) -> list[tuple[int | None, int | None]]:
    return [
        (node.rows_in, node.rows_out) for node in report.nodes if node.operator.endswith(operator)
    ]


def test_rows_of_each_operator_are_those_of_the_data(
    session: Any, lake: Path, tmp_path: Path
) -> None:
    orders = session.read.parquet(str(lake / "orders"))
    customers = session.read.parquet(str(lake / "customers"))
    joined = orders.where("id >= 100").join(customers, "customer")
    exploded = joined.selectExpr("*", "explode(array(1, 2)) AS e")
    frame = exploded.groupBy("name").count().where("count > 0").orderBy("name").limit(5)
    with records.capture(session, pipeline="shop", operators=True) as capture:
        frame.write.parquet(str(tmp_path / "out"))
    reports = [each for each in capture.query_reports() if rows_of(each, "HashAggregate")]
    [report] = reports
    assert (1000, 900) in rows_of(report, "Filter")
    [join] = [*rows_of(report, "HashJoin"), *rows_of(report, "SortMergeJoin")]
    assert join == (907, 630)
    assert rows_of(report, "Generate") == [(630, 1260)]
    partial, final = rows_of(report, "HashAggregate")
    assert partial[0] == 1260
    assert (final[0], final[1]) == (partial[1], 7)
    assert rows_of(report, "TakeOrderedAndProject") == [(7, 5)]
    assert rows_of(report, "InsertIntoHadoopFsRelationCommand") == [(5, 5)]
    ids = {node.node_id: node.rows_out for node in report.nodes}
    assert all(ids[edge.source] == edge.items for edge in report.edges)


def test_a_cached_frame_counts_for_each_query(session: Any, lake: Path) -> None:
    cached = session.read.parquet(str(lake / "orders")).cache()
    with records.capture(session, operators=True) as capture:
        cached.where("id < 10").collect()
        cached.where("id < 20").collect()
    cached.unpersist()
    last = capture.query_reports()[-2:]
    assert [rows_of(report, "Filter") for report in last] == [[(1000, 10)], [(1000, 20)]]


def test_a_union_and_a_reused_exchange(session: Any, lake: Path) -> None:
    counted = session.read.parquet(str(lake / "orders")).groupBy("customer").count()
    twice = counted.where("count > 0").union(counted.where("count > 1"))
    with records.capture(session, operators=True) as capture:
        assert len(twice.collect()) == 20
    assert rows_of(capture.query_reports()[-1], "Union") == [(20, 20)]


def test_nothing_is_collected_unasked(spark: Any, lake: Path) -> None:
    with records.capture(spark) as capture:
        spark.read.parquet(str(lake / "orders")).count()
    assert capture.query_reports() == []


def test_a_number_that_does_not_follow_is_unknown() -> None:
    scan = Operator("Scan", "FileSourceScanExec", [], 40)
    limit = Operator("LocalLimit", "LocalLimitExec", [0], None)
    project = Operator("Project", "ProjectExec", [1], None)
    other = Operator("Other", "OtherExec", [2], None)
    assert infer_rows([scan, limit, project, other]) == [40, None, None, None]
    written = Operator("Write", "DataWritingCommandExec", [2], 3)
    assert infer_rows([scan, limit, project, written]) == [40, 3, 3, 3]
