"""The sources of a traced query: which leaves of its plan read the same dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F

import lineage.records as records
from lineage.errors import Ambiguous, NotFound

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame

ORDERS = "id INT, v INT"


def write_orders(spark: Any, path: Path, *rows: tuple[int, int]) -> None:
    spark.createDataFrame(rows, ORDERS).coalesce(1).write.mode("append").parquet(str(path))


def values(trace: records.Trace, source: str) -> list[tuple[Any, ...]]:
    """Return the ids and values of contributing orders."""
    return sorted((row[0], row[1]) for row in trace.witnesses(source).collect())


@pytest.fixture(scope="module")
def stores(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[DataFrame, DataFrame]:
    """Orders in two stores, at the same path: order 1 in both, 2 in the first, 3 in the second."""
    directory = tmp_path_factory.mktemp("stores")
    settings = spark.sparkContext._jsc.hadoopConfiguration()
    for store, other in (("one", (2, 20)), ("two", (3, 30))):
        settings.set(f"fs.viewfs.mounttable.{store}.link./lake", f"file://{directory}/{store}")
        write_orders(spark, directory / store / "orders", (1, 10), other)
    frames = (spark.read.parquet(f"viewfs://{store}/lake/orders") for store in ("one", "two"))
    one, two = frames
    return one, two


ONE, TWO = "viewfs://one/lake/orders", "viewfs://two/lake/orders"


def test_equal_paths_in_two_stores_are_two_sources(stores: tuple[DataFrame, DataFrame]) -> None:
    one, two = stores
    with records.trace(one.union(two).groupBy("id").agg(F.sum("v")), "id = 3") as trace:
        assert trace.counts == {ONE: 0, TWO: 1}
        assert values(trace, "two/lake/orders") == [(3, 30)]
        assert trace.witnesses(ONE).count() == 0
        for name in ("orders", "/lake/orders"):
            with pytest.raises(Ambiguous, match="Several sources of the query end with"):
                trace.witnesses(name)
        assert trace.fidelity == "exact"
    joined = one.join(two.withColumnRenamed("v", "w"), "id")
    with records.trace(joined, "id = 1") as trace:
        assert trace.counts == {ONE: 1, TWO: 1}
        assert (values(trace, ONE), values(trace, TWO)) == ([(1, 10)], [(1, 10)])
    followed = records.follow(joined, TWO, "id = 3")
    assert [tuple(row)[:2] for row in followed.rows] == [(3, 30)]
    assert followed.alive == frozenset()


def test_witnesses_are_those_of_all_reads_of_a_path(spark: Any, tmp_path: Path) -> None:
    for name, rows in (("old", [(1, 10), (2, 20)]), ("new", [(1, 11), (3, 30)])):
        write_orders(spark, tmp_path / "made", *rows)
        (file,) = (tmp_path / "made").glob("part-*")
        (tmp_path / "orders").mkdir(exist_ok=True)
        file.rename(tmp_path / "orders" / f"{name}.parquet")
    read = [
        spark.read.option("pathGlobFilter", pattern).parquet(str(tmp_path / "orders"))
        for pattern in ("old*", "new*", "*")
    ]
    old, new, every = (frame.toDF("id", column) for frame, column in zip(read, "vwx", strict=True))
    joined = old.join(new, "id")
    with records.trace(joined, "id = 1") as trace:
        assert trace.counts == {str(tmp_path / "orders"): 2}
        assert values(trace, "orders") == [(1, 10), (1, 11)]
        assert trace.witnesses("orders", limit=1).count() == 1
    with records.trace(joined.join(every, "id"), "id = 1 AND x = 10") as trace:
        assert trace.counts == {str(tmp_path / "orders"): 2}
        assert values(trace, "orders") == [(1, 10), (1, 11)]
    followed = records.follow(joined, "orders", "id = 3")
    assert [tuple(row)[:2] for row in followed.rows] == [(3, 30)]


def test_a_file_with_two_schemas_has_the_columns_of_both(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "orders.json").write_text('{"id": 1, "v": 10, "w": 5}\n{"id": 2, "v": 20}\n')
    path = str(tmp_path / "orders.json")
    one, two = (spark.read.schema(f"id INT, {name} INT").json(path) for name in "vw")
    joined = one.join(two, "id")
    with records.trace(joined, "id = 1") as trace:
        rows = [row.asDict() for row in trace.witnesses("orders.json").collect()]
        assert sorted(rows, key=str) == [
            {"id": 1, "v": 10, "w": None},
            {"id": 1, "v": None, "w": 5},
        ]
    with pytest.raises(Ambiguous, match=r"reads .*orders\.json with several sets of columns"):
        records.follow(joined, "orders.json", "id = 1")


def test_tables_of_two_databases_are_two_sources(spark: Any, tmp_path: Path) -> None:
    driver = "org.apache.derby.jdbc.EmbeddedDriver"
    frames = []
    for database, other in (("one", "(2, 20)"), ("two", "(3, 30)")):
        url = f"jdbc:derby:{tmp_path}/{database}"
        jvm = spark.sparkContext._jvm
        connection = jvm.org.apache.derby.jdbc.EmbeddedDriver().connect(
            f"{url};create=true", jvm.java.util.Properties()
        )
        statement = connection.createStatement()
        statement.execute("CREATE TABLE orders (id INT, v INT)")
        statement.execute(f"INSERT INTO orders VALUES (1, 10), {other}")
        connection.close()
        properties = {"driver": driver, "user": "app", "password": "hush"}
        frames.append(spark.read.jdbc(f"{url};user=app", "ORDERS", properties=properties))
    one, two = frames
    first, second = (f"jdbc:derby:{tmp_path}/{name}/ORDERS" for name in ("one", "two"))
    with records.trace(one.union(two).groupBy("ID").agg(F.sum("V")), "ID = 1") as trace:
        assert trace.counts == {first: 1, second: 1}
    with records.trace(one.union(two), "ID = 3") as trace:
        assert values(trace, "two/ORDERS") == [(3, 30)]


def test_frames_of_the_driver_are_numbered(spark: Any) -> None:
    rates = spark.createDataFrame([("EUR", 1.1), ("USD", 1.0)], "currency STRING, rate DOUBLE")
    names = spark.createDataFrame([("x",), ("y",)], "name STRING")
    again = spark.createDataFrame([("EUR", 1.2)], "currency STRING, rate DOUBLE")
    with records.trace(rates.crossJoin(names), "currency = 'EUR' AND name = 'y'") as trace:
        (first, second), kind = trace.counts, next(iter(trace.counts)).removesuffix(" 1")
        assert (first, second) == (f"{kind} 1", f"{kind} 2")
        assert trace.witnesses(first).collect() == [("EUR", 1.1)]
        assert trace.witnesses(second).collect() == [("y",)]
        with pytest.raises(NotFound, match=f"no source {kind}"):
            trace.witnesses(kind)
    with records.trace(rates.union(again), "currency = 'EUR'") as trace:
        assert list(trace.counts.values()) == [1, 1]
    with records.trace(rates.join(rates.toDF("c", "r")), "currency = 'EUR' AND c = 'USD'") as trace:
        assert list(trace.counts.values()) == [2]


def test_a_source_is_named_as_in_the_graph(spark: Any, tmp_path: Path) -> None:
    write_orders(spark, tmp_path / "orders", (1, 10))
    with records.trace(spark.read.parquet(str(tmp_path / "orders")), "id = 1") as trace:
        for name in (f"file:{tmp_path}/orders", f"file://{tmp_path}/orders/", "orders"):
            assert values(trace, name) == [(1, 10)]
        with pytest.raises(NotFound):
            trace.witnesses(f"hdfs:{tmp_path}/orders")
