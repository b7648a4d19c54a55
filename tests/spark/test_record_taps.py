"""Taps: real writes whose rows are recorded with the rows that they are made of."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import pyarrow.parquet
import pytest
from support.slow import slow_except
from support.spark.recorded import told

import lineage.records as records

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.fixtures.spark import SparkSubmit, Submitted

    Build = Callable[[Any, Any], Any]


@pytest.fixture(scope="module")
def shop(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Orders in four files, of customers 0 to 9 of whom 8 and 9 do not exist; and customers."""
    place = tmp_path_factory.mktemp("taps")
    orders = spark.range(0, 400, 1, 4).selectExpr(
        "id", "id % 10 AS customer", "CAST(id AS DOUBLE) / 7 AS total"
    )
    orders.write.parquet(str(place / "orders"))
    customers = spark.range(0, 8, 1, 1).selectExpr("id AS customer", "concat('c', id) AS name")
    customers.write.parquet(str(place / "customers"))
    return place


def read(spark: Any, shop: Path) -> tuple[Any, Any]:
    return tuple(spark.read.parquet(str(shop / name)) for name in ("orders", "customers"))


QUERIES: dict[str, Build] = {
    "filter": lambda orders, customers: orders.where("total > 3").withColumnRenamed("id", "o"),
    "left join": lambda orders, customers: orders.join(customers, "customer", "left"),
    "inner join": lambda orders, customers: orders.join(customers, "customer").orderBy("total"),
    "union": lambda orders, customers: orders.select("id").union(customers.select("customer")),
    "explode": lambda orders, customers: orders.selectExpr("id", "explode(array(1, total)) AS e"),
    "group": lambda orders, customers: orders.groupBy("customer").agg(
        {"total": "sum", "id": "min"}
    ),
    "window": lambda orders, customers: orders.selectExpr(
        "id", "sum(total) OVER (PARTITION BY customer ORDER BY id) AS s"
    ),
    "limit": lambda orders, customers: orders.orderBy("total").limit(17),
    "semi join": lambda orders, customers: orders.join(customers, "customer", "left_semi"),
    "in or": lambda orders, customers: orders.sparkSession.sql(
        "SELECT id FROM {o} WHERE total > 50 OR customer IN (SELECT customer FROM {c})",
        o=orders, c=customers,
    ),
    "scalar subquery": lambda orders, customers: orders.sparkSession.sql(
        "SELECT id, total - (SELECT avg(total) FROM {o}) AS d FROM {o}", o=orders
    ),
}  # fmt: skip


def files_of(directory: Path) -> list[Any]:
    """Return the rows of each file in its order; numbers are compared by their bits."""
    return [
        [tuple(value.hex() if isinstance(value, float) else value for value in row.values())
         for row in pyarrow.parquet.read_table(path).to_pylist()]
        for path in sorted(directory.glob("part-*"))
    ]  # fmt: skip


# A join and an operator of each other kind of ids: of one row, of some rows, of a subquery.
TAPPED = ("inner join", "union", "explode", "group", "window", "scalar subquery")


@pytest.mark.parametrize("name", slow_except(TAPPED, QUERIES))
def test_a_tapped_write_is_that_of_the_frame(
    name: str, spark: Any, shop: Path, tmp_path: Path
) -> None:
    frame = QUERIES[name](*read(spark, shop))
    with records.capture(spark, sample=0.2) as capture:
        tapped = capture.tap(frame)
        assert tapped.schema == frame.schema
        tapped.write.parquet(str(tmp_path / "on"))
    frame.write.parquet(str(tmp_path / "off"))
    assert files_of(tmp_path / "on") == files_of(tmp_path / "off")
    rows = sum(map(len, files_of(tmp_path / "off")))
    [node] = capture.report().nodes
    assert (node.operator, node.rows_in, node.rows_out) == ("tap", rows, rows)
    assert capture.report().sampled == sum(
        hop.input_contributor_count or 0 for item in capture.items() for hop in item.hops
    )


@pytest.mark.parametrize(
    "name",
    slow_except(
        ["left join", "explode"], ["filter", "left join", "inner join", "union", "explode"]
    ),
)
def test_the_recorded_rows_alone_give_the_row(name: str, spark: Any, shop: Path) -> None:
    orders, customers = read(spark, shop)
    expected = QUERIES[name](orders, customers)
    written = {tuple(row) for row in expected.collect()}
    with records.capture(spark, sample=0.05) as capture:
        capture.tap(expected).count()
    items = capture.items()
    assert items
    for item in items[:6]:
        rows = capture.witnesses_of(item.correlation_id)
        parts = [rows.get(str(shop / each)) for each in ("orders", "customers")]
        alone = [
            every.limit(0) if part is None else part.select(*every.columns)
            for part, every in zip(parts, (orders, customers), strict=True)
        ]
        again = {tuple(row) for row in QUERIES[name](*alone).collect()}
        assert again
        assert again <= written
        assert all(part is None or part.count() == 1 for part in parts)


def test_a_group_has_one_of_its_rows(spark: Any, shop: Path) -> None:
    orders, customers = read(spark, shop)
    with records.capture(spark, sample=1.0) as capture:
        tapped = capture.tap(QUERIES["group"](orders, customers))
        groups = {row["customer"] for row in tapped.collect()}
    assert len(capture.items()) == len(groups) == 10
    found = [
        row["customer"]
        for item in capture.items()
        for row in capture.witnesses_of(item.correlation_id)[str(shop / "orders")].collect()
    ]
    assert sorted(found) == sorted(groups)
    [tap] = capture.taps
    assert (tap.fidelity, tap.reasons) == ("sampled", ["aggregate:one row of each group"])


def test_the_same_items_are_sampled_in_any_partitioning(spark: Any, shop: Path) -> None:
    run = "3c1d8a52-9f0e-4a53-8a9d-2f2f6f0f8a11"

    def items(rate: float, partitions: int) -> list[str]:
        orders, customers = read(spark, shop)
        frame = QUERIES["left join"](orders.repartition(partitions), customers)
        with records.capture(spark, sample=rate, cap=40, run_id=run) as capture:
            capture.tap(frame).count()
        assert capture.report().nodes[0].rows_in == 400
        return [item.correlation_id for item in capture.items()]

    few = items(0.05, 3)
    assert 5 < len(few) < 40
    assert items(0.05, 7) == few
    all_items = items(1.0, 5)
    assert len(all_items) == 40  # the cap: those with the smallest hashes
    assert all_items[: len(few)] == few
    assert items(1.0, 2) == all_items


def test_random_samples_differ_between_runs(spark: Any, shop: Path) -> None:
    def contributors() -> set[int]:
        with records.capture(spark, sample="random", rate=0.1) as capture:
            capture.tap(read(spark, shop)[0]).count()
        rows = [capture.witnesses_of(item.correlation_id) for item in capture.items()]
        return {
            row["id"] for each in rows[:9] for frame in each.values() for row in frame.collect()
        }

    assert contributors() != contributors()


def test_a_frame_without_known_rows_is_not_recorded(
    spark: Any, shop: Path, caplog: pytest.LogCaptureFixture
) -> None:
    orders, _ = read(spark, shop)
    frame = orders.mapInPandas(lambda batches: batches, orders.schema)
    with caplog.at_level(logging.WARNING), records.capture(spark, sample=1.0) as capture:
        assert capture.tap(frame) is frame
        assert frame.count() == 400
    assert "The frame output is not recorded." in caplog.text
    assert capture.report().nodes == ()


@pytest.mark.parametrize("mode", ["DROPMALFORMED", "FAILFAST"])
def test_a_source_whose_rows_depend_on_the_columns_read_is_not_recorded(
    mode: str, spark: Any, tmp_path: Path
) -> None:
    """The ids of its rows need all columns, and the job that is recorded reads one."""
    (tmp_path / "rows.csv").write_text("1,2024-01-01\n2,no date\n")
    rows = spark.read.schema("id INT, day DATE").option("mode", mode).csv(str(tmp_path))
    frame = rows.select("id")
    with records.capture(spark, sample=1.0) as capture:
        assert capture.tap(frame) is frame
    assert frame.count() == 2
    assert capture.report().nodes == ()


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("semi join", "semi:rows of the left side"),
        ("in or", "semi:rows of the left side"),
        ("scalar subquery", "influence:no rows of subqueries"),
        ("window", "window:own row only"),
    ],
)
def test_rows_that_others_only_depend_on_are_not_recorded(
    name: str, reason: str, spark: Any, shop: Path
) -> None:
    """The row itself is: each of these rows is made of one order, with its own id."""
    with records.capture(spark, sample=0.05) as capture:
        written = capture.tap(QUERIES[name](*read(spark, shop))).collect()
    [tap] = capture.taps
    assert (tap.fidelity, tap.reasons) == ("sampled", [reason])
    items = capture.items()
    assert items
    ids = set()
    for item in items[:6]:
        [(source, rows)] = capture.witnesses_of(item.correlation_id).items()
        assert source == str(shop / "orders")
        ids |= {row["id"] for row in rows.collect()}
    assert len(ids) == min(6, len(items))
    assert ids <= {row["id"] for row in written}


@pytest.fixture(scope="module")
def job(spark_submit: SparkSubmit) -> Submitted:
    """Run the job with an executor of its own."""
    conf = {"spark.master": "local-cluster[1,2,512]", "spark.executor.memory": "512m"}
    started = spark_submit.start("record_taps.py", conf=conf)
    assert started.finish() == 0, started.log[-3000:]
    return started


@pytest.mark.slow  # the executor takes long, and test_record_steps.py has failed attempts
def test_failed_attempts_of_tasks_count_once(job: Submitted) -> None:
    result = json.loads((job.directory / "result.json").read_text())
    assert (result["rows"], result["node"], result["items"]) == (90, [90, 90], 90)
    assert set(result["emissions"]) == {1}
    assert max(result["attempts"]) >= 2  # of two tasks, the attempts after the first two


@pytest.mark.slow  # of the same job
def test_a_tap_changes_no_column_lineage(job: Submitted) -> None:
    result = json.loads((job.directory / "result.json").read_text())
    assert result["groups"] == 90  # 10 to 99
    facets = {
        output["name"].rpartition("/")[2]: output["facets"]["columnLineage"]
        for event in told(job.spool)
        if event["eventType"] == "COMPLETE"
        for output in event["outputs"]
        if "columnLineage" in output["facets"]
    }
    assert facets["tapped"] == facets["plain"]
