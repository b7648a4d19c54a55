"""Record lineage of frames, on a case of each operator. `make test-records` has all of them."""

from __future__ import annotations

import time
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as F
from support.cases import records as cases
from support.slow import slow_except
from support.spark import record_checks as checks

import lineage.records as records
from lineage.errors import Ambiguous, NotFound, UsageError
from lineage.records import gateway
from lineage.records.row_keys import position_of, values_of
from lineage.records.trace_results import result_of_trace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.cases.records import Case, Tables

CORE = (
    *("explode", "sort_limit", "full", "semi", "anti", "sum", "pandas_mean", "drop_duplicates"),
    *("intersect_all", "running", "partition_mean", "scalar", "lateral", "csv"),
    *("map_in_pandas", "rand"),
)
# One for each kind of rule: each row, a join, a semi-join, groups, windows, subqueries, Python.
KINDS = ("explode", "full", "semi", "sum", "running", "scalar", "csv", "map_in_pandas")
each_case = pytest.mark.parametrize(
    "case",
    slow_except(KINDS, [case for case in cases.CASES if case.name in CORE]),
    ids=lambda case: case.name,
)


def test_every_core_case_exists() -> None:
    assert set(CORE) <= {case.name for case in cases.ALL_CASES}


@each_case
def test_the_answer_is_the_same_and_the_named_rows_give_the_row(case: Case, tables: Tables) -> None:
    frame = case.build(tables)
    checks.assert_same_answer(frame)
    checks.assert_complete(
        frame, checks.some_rows(frame, 1), case.fidelity, case.comes_again, case.reason
    )


def test_conditions_above_joins_prevent_cross_joins(tables: Tables) -> None:
    """Spark joins t with u first, because t and dup have no condition; the trace must, too."""
    frame = tables.sql("SELECT id, q FROM t, dup, u WHERE t.k = u.k AND dup.p = u.k AND t.x > 3")
    run = gateway.plan_of(frame).list(False)
    plan = run.frame().queryExecution().optimizedPlan().toString()
    joins = [line for line in plan.splitlines() if "Join " in line]
    assert len(joins) == 2
    assert all("Join Inner, (" in line for line in joins), plan


@pytest.fixture(scope="module")
def shop(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tables: four orders of two customers, and three customers."""
    directory = tmp_path_factory.mktemp("shop")
    orders = [(1, 1, 5.0), (2, 1, 7.5), (3, 2, 1.0), (4, 9, 2.0)]
    customers = [(1, "Ada", date(2020, 1, 1)), (2, "Bo", date(2021, 1, 1)), (3, "Cy", None)]
    for name, rows, schema in (
        ("orders", orders, "id INT, customer INT, total DOUBLE"),
        ("customers", customers, "id INT, name STRING, since DATE"),
    ):
        path = str(directory / "silver" / name)
        spark.createDataFrame(rows, schema).coalesce(1).write.parquet(path)
        spark.read.parquet(path).createOrReplaceTempView(name)
    return directory


SPENT = """
    SELECT c.name, count(o.id) AS orders, sum(o.total) AS spent
    FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.name
"""


def test_a_group_consists_of_its_rows(spark: Any, shop: Path) -> None:
    with records.trace(spark.sql(SPENT), "name = 'Ada'") as trace:
        orders, customers = str(shop / "silver/orders"), str(shop / "silver/customers")
        assert trace.counts == {customers: 1, orders: 2}
        assert (trace.fidelity, trace.reasons, trace.row_count) == ("exact", ["reproduced"], 1)
        assert [tuple(row) for row in trace.rows.collect()] == [("Ada", 2, 12.5)]


def test_witnesses_have_the_columns_of_their_source_and_their_position(
    spark: Any, shop: Path
) -> None:
    with records.trace(spark.sql(SPENT), "name = 'Ada'") as trace:
        witnesses = trace.witnesses("silver/orders")
        assert witnesses.columns == ["id", "customer", "total", "_file", "_row_index"]
        found = sorted(tuple(row) for row in witnesses.collect())
        assert [(row[0], row[4]) for row in found] == [(1, 0), (2, 1)]
        assert all("/silver/orders/part-" in row[3] for row in found)
        assert trace.witnesses("orders", limit=1).count() == 1


@pytest.mark.parametrize("kind", ["text", "column", "dictionary", "row"])
def test_a_condition_has_four_forms(kind: str, spark: Any, shop: Path) -> None:
    frame = spark.sql(SPENT)
    where = {
        "text": "name = 'Bo' AND spent > 0.5",
        "column": frame.name == "Bo",
        "dictionary": {"name": "Bo"},
        "row": frame.where("name = 'Bo'").collect()[0],
    }[kind]
    with records.trace(frame, where) as trace:
        assert list(trace.counts.values()) == [1, 1]


def test_cached_rows_whose_file_has_changed_are_stale(spark: Any, tmp_path: Path) -> None:
    """The sum of the frame stays 30, that of the cache; the rows of the file are other ones."""
    path = tmp_path / "numbers"
    spark.range(1, 3).selectExpr("id * 10 AS v").coalesce(1).write.parquet(str(path))
    rows = spark.read.parquet(str(path)).cache()
    sums = rows.groupBy().agg(F.sum("v").alias("total"))
    assert sums.first().total == 30
    with records.trace(sums, "total > 0") as trace:
        assert (trace.fidelity, trace.reasons) == ("exact", ["reproduced"])
    spark.range(1, 4).selectExpr("id * 100 AS v").coalesce(1).write.parquet(str(tmp_path / "new"))
    [file], [new] = path.glob("*.parquet"), (tmp_path / "new").glob("*.parquet")
    file.write_bytes(new.read_bytes())
    (path / f".{file.name}.crc").unlink()
    assert sums.first().total == 30
    with records.trace(sums, "total > 0") as trace:
        assert trace.fidelity == "stale"
        [reason] = [each for each in trace.reasons if each.startswith("changed:")]
        assert reason.endswith(f"{file.name} has changed since the frame was cached")
    followed = records.follow(sums, "numbers", "v > 0")
    assert (followed.fidelity, followed.reasons) == ("stale", [reason])
    rows.unpersist()


def test_many_rows_are_traced_as_few_are(spark: Any, tables: Tables) -> None:
    frame = spark.range(100).selectExpr("id", "id % 2 AS half").where("half = 1")
    with records.trace(frame, "id < 5") as few, records.trace(frame, "id < 50") as many:
        assert ([*few.counts.values()], few.row_count) == ([2], 2)
        assert ([*many.counts.values()], many.row_count) == ([25], 25)
        for trace, end in ((few, 5), (many, 50)):
            odd = list(range(1, end, 2))
            assert sorted(row.id for row in trace.rows.collect()) == odd
            assert sorted(row.id for row in trace.witnesses("Range").collect()) == odd


def test_null_is_a_value_of_a_condition(spark: Any, shop: Path) -> None:
    with records.trace(spark.table("customers"), {"since": None}) as trace:
        assert [row.name for row in trace.rows.collect()] == ["Cy"]


def test_no_row_has_no_witness(spark: Any, shop: Path) -> None:
    with records.trace(spark.sql(SPENT), "name = 'Zoe'") as trace:
        assert trace.row_count == 0
        assert set(trace.counts.values()) == {0}


def test_omitting_a_row_of_a_sum_changes_it(spark: Any, shop: Path) -> None:
    with records.trace(spark.sql(SPENT), "name = 'Ada'") as trace:
        assert trace.check(leave_out=5) == (True, 3, 3)
        assert trace.reasons == ["reproduced"]


def test_rows_of_two_scans_of_a_table_are_verified_separately(spark: Any, shop: Path) -> None:
    """Order 2 limits the sums, and is not part of one. With it, Ada would take Zoe's place."""
    frame = spark.sql(checks.SUMS_BELOW_AN_ORDER)
    assert [tuple(row) for row in frame.collect()] == [(9, 2.0, 1), (2, 1.0, 2)]
    with records.trace(frame, "customer = 9") as trace:
        assert list(trace.counts.values()) == [2]
        assert sorted(row.id for row in trace.witnesses("orders").collect()) == [2, 4]
        assert (trace.fidelity, trace.reasons[0]) == ("exact", "reproduced")
        assert trace.check(leave_out=2).changed == 2


def test_a_row_that_does_not_come_again_is_never_exact(spark: Any, shop: Path) -> None:
    """No label can know that this function is not deterministic."""
    now = F.udf(lambda _: time.time_ns(), "long")
    with records.trace(spark.table("orders").withColumn("now", now("id")), "id = 1") as trace:
        assert trace.reproduced is None
        assert trace.fidelity == "unknown"
        assert trace.reasons == ["not reproduced:on the named rows"]
        assert trace.reproduced is False


def test_many_rows_are_verified_on_request(spark: Any) -> None:
    frame = spark.range(2000).selectExpr("id", "id * 0.5D AS half")
    with records.trace(frame, "id < 1500") as trace:
        assert (trace.fidelity, trace.reasons[-1]) == ("unverified", "not checked:too many rows")
        assert trace.check() == (True, 0, 0)
        assert (trace.fidelity, trace.reasons[0]) == ("exact", "reproduced")


def test_the_row_at_a_limit_is_traced_below_it(spark: Any, shop: Path) -> None:
    frame = spark.sql(f"{SPENT} ORDER BY spent DESC LIMIT 1")
    with records.trace(frame, frame.collect()[0]) as trace:
        assert sum(trace.counts.values()) == 3
    with records.trace(frame, "name = 'Bo'") as trace:
        assert trace.row_count == 0  # the limit excludes it


def test_an_invalid_condition_is_reported(spark: Any, shop: Path) -> None:
    with pytest.raises(
        UsageError, match=r"The condition nome = 'Ada' does not fit the frame: .*nome"
    ):
        records.trace(spark.sql(SPENT), "nome = 'Ada'")
    with pytest.raises(UsageError) as caught:
        records.trace(spark.sql(SPENT), "nome = 'Ada'")
    assert "__lineage" not in str(caught.value), "columns of the trace are not those of the user"
    with pytest.raises(UsageError, match=r"name = = 'Ada' cannot be parsed: .*PARSE_SYNTAX_ERROR"):
        records.trace(spark.sql(SPENT), "name = = 'Ada'")
    with pytest.raises(UsageError, match=r"no column nome\. Did you mean name\?"):
        records.trace(spark.sql(SPENT), {"nome": "Ada"})
    with pytest.raises(UsageError, match="A condition cannot be a int"):
        records.trace(spark.sql(SPENT), 1)  # type: ignore[arg-type]
    twice = spark.sql("SELECT 1 AS a, 2 AS a")
    with pytest.raises(UsageError, match="several columns named a"):
        records.trace(twice, {"a": 1})


def test_a_source_is_named_by_a_unique_end(spark: Any, shop: Path) -> None:
    with records.trace(spark.sql(SPENT), "name = 'Ada'") as trace:
        with pytest.raises(NotFound, match=r"The query has no source order\. There are: /"):
            trace.witnesses("order")
        trace._sources = ["a/orders", "b/orders"]
        with pytest.raises(Ambiguous, match="Several sources of the query end with orders"):
            trace.witnesses("orders")


BIG_SPENDERS = """
    SELECT c.name, sum(o.total) AS spent
    FROM orders o JOIN customers c ON o.customer = c.id
    WHERE o.id > 0 AND o.total > 1.5 GROUP BY c.name HAVING sum(o.total) > 10
"""


def test_rows_end_at_an_operator_by_a_condition(spark: Any, shop: Path) -> None:
    followed = records.follow(spark.sql(BIG_SPENDERS), "silver/orders", "id IN (1, 3, 4)")
    number = {row.id: mark for mark, row in enumerate(followed.rows)}
    assert followed.alive == {number[1]}
    assert [row.name for row in followed.result_rows().collect()] == ["Ada"]
    ended = {key: followed.ends_of(mark) for key, mark in number.items()}
    assert [step.operator for step in ended[3]] == ["Filter"]
    assert ended[3][0].conditions_of(number[3]) == ["(o.total > CAST(1.5BD AS DOUBLE))"]
    assert [step.operator for step in ended[4]] == ["Join"]  # there is no customer 9
    assert ended[1] == []


def test_a_row_ends_where_its_group_ends(spark: Any, shop: Path) -> None:
    frame = spark.sql(BIG_SPENDERS.replace("> 10", "> 100"))
    followed = records.follow(frame, "orders", "id = 1")
    (step,) = followed.ends_of(0)
    assert (step.operator, step.conditions_of(0)) == ("Filter", ["(spent > CAST(100 AS DOUBLE))"])
    assert followed.alive == frozenset()


def test_steps_count_all_rows(spark: Any, shop: Path) -> None:
    followed = records.follow(spark.sql(BIG_SPENDERS), "orders", "id = 2")
    rows = [(step.operator, step.rows) for step in followed.steps]
    assert rows[:4] == [("Scan", 4), ("Scan", 3), ("Join", 3), ("Filter", 2)]
    assert rows[4:] == [("Aggregate", 1), ("Filter", 1), ("Result", 1)]


def test_at_most_64_rows_are_followed(spark: Any, tables: Tables) -> None:
    frame = spark.range(100).where("id >= 0")
    followed = records.follow(frame, "Range", "true")
    assert len(followed.rows) == 64
    assert followed.alive == frozenset(range(64))
    assert (followed.fidelity, followed.reasons[-1]) == ("sampled", "marked:first 64 rows")


def test_a_stream_cannot_be_traced(spark: Any) -> None:
    stream = spark.readStream.format("rate").load()
    with pytest.raises(UsageError, match="The frame is a stream"):
        records.trace(stream, "value = 1")


@pytest.mark.parametrize(
    ("schema", "lines", "condition"),
    [
        ("b INT, v STRUCT<id: STRING, name: STRING>",
         ['{"b": 1, "v": {"id": null, "name": "7"}}', '{"b": 1, "v": {"id": "7", "name": null}}'],
         "v.id = '7'"),
        ("b INT, v STRUCT<id: STRING, name: STRING>",
         ['{"b": 1, "v": {"id": null, "name": "null"}}',
          '{"b": 1, "v": {"id": "null", "name": null}}'],
         "v.id IS NOT NULL"),
        ("b INT, v ARRAY<STRING>",
         ['{"b": 1, "v": ["x", null]}', '{"b": 1, "v": ["x"]}', '{"b": 1, "v": [null, "x"]}'],
         "size(v) = 1"),
        ("b INT, v ARRAY<ARRAY<STRING>>",
         ['{"b": 1, "v": [["x"], ["y"]]}', '{"b": 1, "v": [["x", "y"]]}'],
         "size(v) = 1"),
        ("b INT, v ARRAY<TIMESTAMP>",
         ['{"b": 1, "v": ["2024-05-01T10:00:00.000001Z"]}',
          '{"b": 1, "v": ["2024-05-01T10:00:00.000002Z"]}'],
         "v[0] = TIMESTAMP'2024-05-01T10:00:00.000001Z'"),
        ("b INT, v MAP<STRING, STRING>",
         ['{"b": 1, "v": {"k": "x, l -> y"}}', '{"b": 1, "v": {"k": "x", "l": "y"}}'],
         "size(v) = 1"),
    ],
    ids=["struct", "text of null", "array", "nested arrays", "microseconds", "map"],
)  # fmt: skip
def test_rows_that_differ_in_a_nested_null_are_different(
    schema: str, lines: list[str], condition: str, spark: Any, tmp_path: Path
) -> None:
    """Such rows have no position, so that their content identifies them."""
    (tmp_path / "events.json").write_text("\n".join(lines))
    events = spark.read.schema(schema).json(str(tmp_path / "events.json"))
    with records.trace(events.groupBy("b").count(), "b = 1") as trace:
        assert list(trace.counts.values()) == [len(lines)]
    with records.trace(events.where(condition).groupBy("b").count(), "b = 1") as trace:
        (row,) = trace.witnesses("events.json").collect()
        assert (trace.fidelity, trace.counts) == ("exact", {str(tmp_path / "events.json"): 1})
        assert [tuple(row)] == list(map(tuple, events.where(condition).collect()))


@pytest.mark.parametrize(
    ("match", "orders"),
    [
        ("EXISTS (SELECT 1 FROM orders o WHERE o.customer = c.id AND c.since IS NOT NULL)", {}),
        ("EXISTS (SELECT 1 FROM orders o WHERE c.since > DATE'2020-06-01')",
         {"Bo": [1, 2, 3, 4]}),
        ("c.id IN (SELECT customer FROM orders WHERE c.name = 'Ada')", {"Ada": [1, 2]}),
    ],
)  # fmt: skip
def test_a_match_that_is_a_value_has_the_rows_that_match(
    match: str, orders: dict[str, list[int]], spark: Any, shop: Path
) -> None:
    orders = orders or {"Ada": [1, 2], "Bo": [3]}
    frame = spark.sql(f"SELECT name, CASE WHEN {match} THEN 'y' ELSE 'n' END AS e FROM customers c")
    for row in frame.collect():
        with records.trace(frame, {"name": row.name}) as trace:
            named = sorted(each.id for each in trace.witnesses("silver/orders").collect())
            assert (row.name, named) == (row.name, orders.get(row.name, []))
            assert (row.e, trace.fidelity) == ("y" if named else "n", "exact")


NOW = "TIMESTAMP'2024-05-01 10:00:00'"


@pytest.mark.parametrize(
    ("query", "function"),
    [
        ("SELECT count(*) AS c FROM customers WHERE since < current_date()", "current_date"),
        ("SELECT count(*) AS c FROM customers WHERE since < now() - INTERVAL 1 DAY", "now"),
        ("SELECT count(*) AS c FROM customers WHERE since < CAST('today' AS DATE)", "today"),
        ("WITH c AS (SELECT *, now() AS n FROM customers) SELECT id AS c FROM c WHERE since < n",
         "now"),
        ("SELECT count(*) AS c FROM customers GROUP BY datediff(current_date(), since) > 400",
         "current_date"),
        ("SELECT count_if(since < now()) AS c FROM customers", "now"),
        ("SELECT id AS c FROM customers c WHERE EXISTS (SELECT 1 FROM orders WHERE since < now())",
         "now"),
        ("SELECT DISTINCT current_date() - since AS c FROM customers", "current_date"),
    ],
)  # fmt: skip
def test_rows_that_the_time_chooses_are_unknown(
    query: str, function: str, spark: Any, shop: Path
) -> None:
    """The run that wrote the rows had another time, and the rerun of the check has the present."""
    with records.trace(spark.sql(query), "c IS NOT NULL") as trace:
        assert (trace.fidelity, trace.reproduced) == ("unknown", None)
        assert f"time-dependent:{function}" in trace.reasons


def test_a_time_that_is_a_value_chooses_no_rows(spark: Any, shop: Path) -> None:
    loaded = spark.sql(f"SELECT *, current_timestamp() AS loaded FROM ({SPENT})")
    with records.trace(loaded, "name = 'Ada'") as trace:
        assert (trace.fidelity, list(trace.counts.values())) == ("exact", [1, 2])
        assert trace.reasons == ["reproduced", "time-dependent:current_timestamp"]
    with records.trace(loaded, f"loaded > {NOW}") as trace:
        assert trace.fidelity == "unknown"
    followed = records.follow(loaded, "silver/orders", "id = 1")
    assert followed.fidelity == "exact"
    followed = records.follow(loaded.where(f"loaded > {NOW}"), "silver/orders", "id = 1")
    assert (followed.fidelity, followed.reasons) == (
        "unknown", ["time-dependent:current_timestamp"],
    )  # fmt: skip


@pytest.fixture
def zone_of_session(spark: Any) -> Iterator[None]:
    """Give the session another time zone than the process."""
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield
    spark.conf.set("spark.sql.session.timeZone", before)


@pytest.mark.usefixtures("zone_of_session")
def test_a_time_without_a_zone_is_the_time_on_the_clock(spark: Any) -> None:
    ten = "TIMESTAMP_NTZ'2024-05-01 10:00:00'"
    frame = spark.sql(f"SELECT {ten} AS t, array({ten}, NULL) AS a, struct({ten} AS t) AS s")
    row = frame.first()
    for where in (row, {"t": row.t}, {"a": row.a}, {"s": row.s}):
        with records.trace(frame, where) as trace:
            assert trace.row_count == 1


def test_a_row_that_is_no_row_of_the_frame_has_no_fidelity(spark: Any, shop: Path) -> None:
    row = spark.sql(f"{SPENT} LIMIT 1").first()
    with records.trace(spark.sql(SPENT).where("spent > 100"), row) as trace:
        assert (trace.row_count, trace.fidelity) == (0, "unknown")
        assert trace.reasons[-1] == "condition:no row is equal to it"


def test_columns_of_a_source_that_have_the_names_of_a_position(spark: Any, tmp_path: Path) -> None:
    rows = [(1, "x.csv", 5), (2, "y.csv", 6)]
    synced = spark.createDataFrame(rows, "id INT, _file STRING, v INT").coalesce(1)
    synced.write.parquet(str(tmp_path / "synced"))
    frame = spark.read.parquet(str(tmp_path / "synced")).groupBy("id").agg(F.sum("v"))
    with records.trace(frame, "id = 2") as trace:
        (row,) = trace.witnesses("synced").collect()
        values = row.asDict()
        assert (values["_file"], values["_lineage_row_index"]) == ("y.csv", 1)
        assert f"{tmp_path}/synced/part-" in values["_lineage_file"]
        saved = result_of_trace(trace, "gold").sources[0].witnesses[0]
        assert position_of(saved) == (values["_lineage_file"], 1)
        assert values_of(saved) == {"id": 2, "_file": "y.csv", "v": 6}
    followed = records.follow(frame, "synced", "id = 2")
    assert [row.asDict()["_file"] for row in followed.rows] == ["y.csv"]


def test_names_of_columns_have_the_case_of_the_session(spark: Any, shop: Path) -> None:
    frame = spark.sql(SPENT)
    with records.trace(frame, {"NAME": "Ada"}) as trace:
        assert list(trace.counts.values()) == [1, 2]
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        with pytest.raises(UsageError, match=r"no column NAME\. Did you mean name\?"):
            records.trace(frame, {"NAME": "Ada"})
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


@pytest.fixture
def malformed(tmp_path: Path) -> str:
    """Three rows, of which one has a malformed date."""
    (tmp_path / "malformed.csv").write_text("a,1,2024-01-01\na,2,no date\na,3,2024-01-02\n")
    return str(tmp_path / "malformed.csv")


def test_dropped_rows_may_be_missing_from_a_trace(spark: Any, malformed: str) -> None:
    """Spark parses only the columns that the query needs, and the trace needs all of them."""
    read = spark.read.schema("k STRING, v INT, d DATE").option("mode", "dropMalformed")
    counts = read.csv(malformed).groupBy("k").count()
    assert [tuple(row) for row in counts.collect()] == [("a", 3)]
    with records.trace(counts, "k = 'a'") as trace:
        assert (trace.fidelity, trace.reproduced) == ("unknown", None)
        assert f"malformed:{malformed}" in trace.reasons


def test_a_malformed_row_in_another_column_is_reported(spark: Any, malformed: str) -> None:
    read = spark.read.schema("k STRING, v INT, d DATE").option("mode", "FAILFAST")
    counts = read.csv(malformed).groupBy("k").count()
    assert [tuple(row) for row in counts.collect()] == [("a", 3)]
    with pytest.raises(UsageError, match="mode FAILFAST has a malformed row"):
        records.trace(counts, "k = 'a'")
    with pytest.raises(UsageError, match="mode FAILFAST has a malformed row"):
        records.follow(counts, "malformed.csv", "v = 1")
