"""Traces of frames, saved: the rows of files by their positions, others by a hash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F
from support.events.builders import dataset, run_event

import lineage.records as records
from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.query.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import psycopg

SPENT = """
    SELECT c.name, sum(o.total) AS spent
    FROM saved_orders o JOIN saved_customers c ON c.id = o.customer GROUP BY c.name
"""


@pytest.fixture
def lake(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four orders in one Parquet file, and two customers in a CSV file."""
    monkeypatch.setenv("LINEAGE_HOME", str(tmp_path / "home"))
    orders = [(1, 1, 5), (2, 2, 1), (3, 1, 7), (4, 2, 2)]
    frame = spark.createDataFrame(orders, "id INT, customer INT, total INT")
    frame.coalesce(1).write.parquet(str(tmp_path / "orders"))
    (tmp_path / "customers").mkdir()
    (tmp_path / "customers" / "all.csv").write_text("1,Ada\n2,Bo\n")
    spark.read.parquet(str(tmp_path / "orders")).createOrReplaceTempView("saved_orders")
    customers = spark.read.schema("id INT, name STRING").csv(str(tmp_path / "customers"))
    customers.createOrReplaceTempView("saved_customers")
    return tmp_path


@pytest.fixture
def session(dsn: str, conn: psycopg.Connection[Any], lake: Path) -> Iterator[Session]:
    names = ("orders", "customers", "spent")
    orders, customers, spent = (dataset(str(lake / name), namespace="file") for name in names)
    write_events(conn, [run_event("r1", "COMPLETE", 1, "sum", (orders, customers), (spent,))])
    with Session(dsn) as opened:
        yield opened


def test_a_trace_of_a_frame_is_saved(spark: Any, session: Session, lake: Path) -> None:
    with records.trace(spark.sql(SPENT), "name = 'Ada'") as trace:
        saved = trace.save("spent", session, run="r1")
    details = records.saved_trace(session, saved)
    found = details.trace
    assert (found.dataset, found.run, found.way) == (f"file:{lake}/spent", "r1", "live")
    assert (found.columns, found.condition, found.rows) == (("name",), None, 1)
    assert (found.fidelity, found.reproduced) == ("exact", True)
    orders, customers = f"file:{lake}/orders", f"file:{lake}/customers"
    assert {(count.source, count.rows, count.saved) for count in found.counts} == {
        (orders, 2, 2),
        (customers, 1, 1),
    }
    [file] = (lake / "orders").glob("*.parquet")
    rows = [w for w in details.witnesses if w.source == orders]
    assert [(row.row_index, str(row.file).rsplit("/", 1)[-1]) for row in rows] == [
        (0, file.name),
        (2, file.name),
    ]
    [customer] = [w for w in details.witnesses if w.source == customers]
    assert (customer.file, customer.row_index, customer.values) == (None, None, None)


def test_values_are_saved_on_request(spark: Any, dsn: str, session: Session) -> None:
    with records.trace(spark.sql(SPENT), {"name": "Bo"}) as trace:
        saved = trace.save("spent", dsn, values=True)
    details = records.saved_trace(session, saved)
    assert (details.trace.columns, details.trace.condition) == (("name",), "name <=> 'Bo'")
    assert details.values == ({"name": "Bo", "spent": 3},)
    assert {"id": 2, "customer": 2, "total": 1} in [w.values for w in details.witnesses]
    assert {"id": 2, "name": "Bo"} in [w.values for w in details.witnesses]


def test_decimals_are_saved_with_all_digits(
    spark: Any, conn: psycopg.Connection[Any], session: Session, lake: Path
) -> None:
    (lake / "paid").mkdir()
    (lake / "paid" / "all.csv").write_text(
        "1,1234567890123456.78\n1,1234567890123456.79\n2,30000000000000000.03\n2,\n"
    )
    paid, total = (dataset(str(lake / name), namespace="file") for name in ("paid", "total"))
    write_events(conn, [run_event("r2", "COMPLETE", 2, "add", (paid,), (total,))])
    rows = spark.read.schema("id INT, amount DECIMAL(20,2)").csv(str(lake / "paid"))
    sums = rows.groupBy("id").agg(
        F.sum("amount").alias("total"),
        F.sort_array(F.collect_list(F.struct("amount"))).alias("parts"),
    )
    with records.trace(sums, "id = 1") as trace:
        details = records.saved_trace(session, trace.save("total", session, values=True))
    amounts = ["1234567890123456.78", "1234567890123456.79"]
    parts = [{"amount": amount} for amount in amounts]
    assert details.values == ({"id": 1, "total": "2469135780246913.57", "parts": parts},)
    assert sorted(row.values["amount"] for row in details.witnesses if row.values) == amounts
    with records.trace(sums, "total = 30000000000000000.03") as trace:
        details = records.saved_trace(session, trace.save("total", session, values=True))
    amounts = [row.values["amount"] for row in details.witnesses if row.values]
    assert sorted(amounts, key=str) == ["30000000000000000.03", None]


def test_all_forms_of_a_condition_have_columns(spark: Any, session: Session) -> None:
    frame = spark.sql(SPENT)
    [row] = frame.where("name = 'Ada'").collect()
    column = (F.col("spent") > 3) & frame["name"].isNotNull()
    for where in ("spent > 3 AND name IS NOT NULL", row, column):
        with records.trace(frame, where) as trace:
            saved = records.saved_trace(session, trace.save("spent", session))
        assert tuple(sorted(saved.trace.columns)) == ("name", "spent"), where
        assert saved.trace.reproduced, where


def test_a_dataset_that_is_not_in_the_graph_is_an_error(spark: Any, session: Session) -> None:
    with (
        records.trace(spark.sql(SPENT), "name = 'Ada'") as trace,
        pytest.raises(NotFound, match=r'No dataset is called "spend"'),
    ):
        trace.save("spend", session)
    assert records.saved_traces(session, "spent").traces == ()
