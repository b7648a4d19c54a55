"""Queries for record lineage, one for each operator and each trap, on small tables.

Each case states its fidelity by the meaning of its operators. ``tables`` makes them; ``t`` has 60
rows with 7 keys, ``u`` 8 rows, one for each key and one more, ``dup`` equal rows and a null.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import Window
from pyspark.sql import functions as F

from support.spark.version import SPARK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = (
    "id",
    "CAST(id % 7 AS INT) k",
    "CAST(id * 1.1 + 0.1 AS DOUBLE) x",
    "CONCAT('n', CAST(id % 5 AS STRING)) s",
    "ARRAY(id, id + 1) a",
)


@dataclass(frozen=True)
class Tables:
    """The tables of the cases in a directory."""

    spark: SparkSession
    directory: Path

    def __getattr__(self, name: str) -> DataFrame:
        return self.spark.read.parquet(str(self.directory / name))

    def sql(self, text: str) -> DataFrame:
        for name in ("t", "u", "dup"):
            getattr(self, name).createOrReplaceTempView(name)
        return self.spark.sql(text)


@dataclass(frozen=True)
class Case:
    """A query with its fidelity.

    ``comes_again``: whether the traced row must be in the result of the named rows alone.
    ``reason``: a reason of an unknown fidelity, whatever the check finds.
    ``since``: the first Spark that can run it.
    """

    name: str
    build: Callable[[Tables], DataFrame]
    fidelity: str = "exact"
    comes_again: bool = True
    since: tuple[int, int] = (3, 5)
    reason: str | None = None


def make_tables(spark: SparkSession, directory: Path) -> Tables:
    """Write the tables."""
    t = spark.range(60).selectExpr(*COLUMNS)
    t.repartition(2).write.parquet(str(directory / "t"))
    u = spark.range(8).selectExpr("CAST(id AS INT) k", "CONCAT('g', id) g")
    u.coalesce(1).write.parquet(str(directory / "u"))
    dup = spark.sql("SELECT * FROM VALUES (1, 'a'), (1, 'a'), (2, 'b'), (3, NULL) v(p, q)")
    dup.coalesce(1).write.parquet(str(directory / "dup"))
    for name in ("csv", "json", "orc"):
        flat = t.drop("a").coalesce(1).write
        flat.format(name).option("header", value=True).save(str(directory / name))
    return Tables(spark, directory)


def larger_than_5(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for frame in frames:
        yield frame[frame.x > 5][["id", "x"]]


def top_of_group(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.nlargest(1, "x")[["k", "x"]]


def upper(column: str) -> Any:
    return F.udf(lambda text: text.upper(), "string")(column)


def plus_one(column: str) -> Any:
    # Annotations are text in this module, and pandas_udf needs types.
    def add(x):  # type: ignore[no-untyped-def]
        return x + 1

    import pandas

    add.__annotations__ = {"x": pandas.Series, "return": pandas.Series}
    return F.pandas_udf(add, "double")(column)


def mean_of(column: str) -> Any:
    def mean(x):  # type: ignore[no-untyped-def]
        return x.mean()

    import pandas

    mean.__annotations__ = {"x": pandas.Series, "return": float}
    return F.pandas_udf(mean, "double")(column)


def by_id() -> Any:
    return Window.partitionBy("k").orderBy("id")


ROWS = (
    Case("filter", lambda v: v.t.where("x > 20").select("id", "x")),
    Case("explode", lambda v: v.t.select("id", F.explode("a").alias("e"))),
    Case("generated", lambda v: v.sql("SELECT id, e FROM t LATERAL VIEW explode(a) AS e")),
    Case("equal_rows", lambda v: v.dup.select("p")),
    Case("udf", lambda v: v.t.select("id", upper("s").alias("S"))),
    Case("udf_filter", lambda v: v.t.where(upper("s") == "N1").groupBy("k").count()),
    Case("pandas_udf", lambda v: v.t.select("id", plus_one("x").alias("y"))),
    Case("now", lambda v: v.t.select("id", F.current_date().alias("d"))),
    Case("sort_limit", lambda v: v.t.orderBy(F.desc("id")).select("id", "x").limit(5)),
    Case("repartition", lambda v: v.t.repartition(3, "k").select("id", "k")),
    Case("values", lambda v: v.spark.sql("SELECT 1 AS one")),
)
JOINS = (
    Case("inner", lambda v: v.t.join(v.u, "k").select("id", "g")),
    Case("left", lambda v: v.u.join(v.t.where("k < 3"), "k", "left").select("k", "id", "g")),
    Case("right", lambda v: v.t.where("k < 3").join(v.u, "k", "right").select("k", "id")),
    Case(
        "full",
        lambda v: v.t.where("k < 3").select("k", "id").join(v.u.where("k > 1"), "k", "full"),
    ),
    Case("semi", lambda v: v.t.join(v.u.where("g > 'g2'"), "k", "semi").select("id", "k")),
    Case("anti", lambda v: v.t.join(v.u.where("g > 'g2'"), "k", "anti").select("id", "k")),
    Case("cross", lambda v: v.u.crossJoin(v.u.select(F.col("k").alias("k2")))),
    Case(
        "self_join",
        lambda v: (
            v.t.alias("a")
            .join(v.t.alias("b"), F.expr("a.id = b.id + 7"))
            .selectExpr("a.id", "b.id AS id2")
        ),
    ),
    Case(
        "range_join",
        lambda v: (
            v.t.alias("a")
            .join(v.u.alias("b"), F.expr("a.id BETWEEN b.k * 10 AND b.k * 10 + 2"))
            .selectExpr("a.id", "b.g")
        ),
    ),
    Case(
        "semi_further",
        lambda v: v.sql(
            "SELECT k, g FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.k = u.k AND t.id > u.k + 20)"
        ),
        fidelity="superset",
    ),
)
AGGREGATES = (
    Case("sum", lambda v: v.t.groupBy("k").agg(F.count("*").alias("n"), F.sum("id").alias("m"))),
    Case("sum_double", lambda v: v.t.groupBy("k").agg(F.sum("x").alias("m"), F.avg("x"))),
    Case("max", lambda v: v.t.groupBy("k").agg(F.max("id").alias("m"))),
    Case("count_distinct", lambda v: v.t.groupBy("k").agg(F.countDistinct("s"), F.count("*"))),
    Case("global", lambda v: v.t.agg(F.sum("id").alias("m"))),
    Case("having", lambda v: v.t.groupBy("k").agg(F.sum("id").alias("m")).where("m > 230")),
    Case(
        "twice",
        lambda v: v.t.groupBy("k", "s").agg(F.sum("id").alias("m")).groupBy("k").agg(F.max("m")),
    ),
    Case("collect", lambda v: v.t.groupBy("k").agg(F.sort_array(F.collect_list("id")).alias("l"))),
    Case("first", lambda v: v.t.groupBy("k").agg(F.first("id").alias("f")), fidelity="superset"),
    Case("pivot", lambda v: v.t.groupBy("k").pivot("s", ["n0", "n1"]).agg(F.sum("id"))),
    Case("rollup", lambda v: v.t.rollup("k", "s").agg(F.sum("id").alias("m"))),
    Case("cube", lambda v: v.t.cube("k", "s").agg(F.count("*").alias("m"))),
    Case("unpivot", lambda v: v.u.selectExpr("k", "k * 2 AS k2").unpivot("k", ["k2"], "n", "v")),
    Case("explode_sum", lambda v: v.t.select(F.explode("a").alias("e")).groupBy("e").count()),
    Case("sum_limit", lambda v: v.t.groupBy("k").agg(F.sum("id")).orderBy(F.desc("k")).limit(2)),
    Case("limit_sum", lambda v: v.t.orderBy("id").limit(20).groupBy("k").count()),
    Case("pandas_mean", lambda v: v.t.groupBy("k").agg(mean_of("x").alias("m"))),
)
SETS = (
    Case("distinct", lambda v: v.dup.distinct()),
    Case(
        "drop_duplicates",
        lambda v: v.t.select("k", "s").dropDuplicates(["k"]),
        fidelity="superset",
    ),
    Case("union", lambda v: v.t.select("k").union(v.u.select("k"))),
    Case(
        "union_by_name",
        lambda v: v.t.select("k", "id").unionByName(v.u, allowMissingColumns=True),
    ),
    Case("union_of_one", lambda v: v.t.select("k").union(v.t.select("k")).groupBy("k").count()),
    Case("intersect", lambda v: v.t.select("k").intersect(v.u.select("k"))),
    Case("intersect_all", lambda v: v.t.select("k").intersectAll(v.u.select("k"))),
    Case("except_all", lambda v: v.u.select("k").exceptAll(v.t.select("k"))),
    Case("except", lambda v: v.u.select("k").subtract(v.t.select("k"))),
)
WINDOWS = (
    Case("row_number", lambda v: v.t.select("id", "k", F.row_number().over(by_id()).alias("r"))),
    Case("running", lambda v: v.t.select("id", F.sum("id").over(by_id()).alias("r"))),
    Case("lag", lambda v: v.t.select("id", F.lag("id").over(by_id())), fidelity="superset"),
    Case("ntile", lambda v: v.t.select("id", F.ntile(3).over(by_id())), fidelity="superset"),
    Case(
        "first_of_partition",
        lambda v: v.t.select("id", "k", F.row_number().over(by_id()).alias("r")).where("r = 1"),
    ),
    Case(
        "partition_mean",
        lambda v: v.t.select(
            "id", (F.col("id") - F.avg("id").over(Window.partitionBy("k"))).alias("d")
        ),
    ),
    Case(
        "two_frames",
        lambda v: v.t.select(
            "id",
            F.sum("id").over(by_id().rowsBetween(-1, 0)).alias("a"),
            F.sum("id").over(by_id().rowsBetween(0, 1)).alias("b"),
        ),
    ),
    Case(
        "pandas_window",
        lambda v: v.t.select("id", mean_of("x").over(Window.partitionBy("k")).alias("m")),
    ),
)
SUBQUERIES = (
    Case("scalar", lambda v: v.sql("SELECT id, x FROM t WHERE x > (SELECT avg(x) FROM t)")),
    Case("scalar_value", lambda v: v.sql("SELECT g, (SELECT max(id) FROM t) AS m FROM u")),
    Case(
        "scalar_in_a_join_condition",
        lambda v: v.sql("SELECT id, g FROM t JOIN u ON t.k = u.k AND x > (SELECT max(p) FROM dup)"),
    ),
    Case(
        "scalar_in_a_semi_join_condition",
        lambda v: v.sql(
            "SELECT id FROM t LEFT SEMI JOIN u ON t.k = u.k AND t.k >= (SELECT max(p) FROM dup)"
        ),
    ),
    Case(
        "scalar_beside_an_aggregate",
        lambda v: v.sql("SELECT k, count(*) + (SELECT max(p) FROM dup) AS n FROM t GROUP BY k"),
    ),
    Case(
        "joins_by_the_filter_above",
        lambda v: v.sql(
            "SELECT id, g, q FROM t, dup, u WHERE t.k = u.k AND dup.p = u.k"
            " AND x < (SELECT avg(x) FROM t) AND EXISTS (SELECT 1 FROM dup d WHERE d.p = t.id % 5)"
        ),
    ),
    Case(
        "scalar_correlated",
        lambda v: v.sql("SELECT g, (SELECT max(id) FROM t WHERE t.k = u.k) AS m FROM u"),
    ),
    Case(
        "exists_or",
        lambda v: v.sql(
            "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND g = 'g3') OR id < 3"
        ),
    ),
    Case(
        "not_in",
        lambda v: v.sql("SELECT id FROM t WHERE k NOT IN (SELECT k FROM u WHERE k < 4)"),
    ),
    Case(
        "nested",
        lambda v: v.sql(
            "SELECT g FROM u WHERE k IN (SELECT k FROM t WHERE id >"
            " (SELECT avg(o.id) FROM t o WHERE o.s = t.s))"
        ),
    ),
    Case(
        "cte_twice",
        lambda v: v.sql(
            "WITH c AS (SELECT k, sum(id) m FROM t GROUP BY k)"
            " SELECT a.k, b.m FROM c a JOIN c b ON a.k = b.k + 1"
        ),
    ),
    Case(
        "lateral",
        lambda v: v.sql(
            "SELECT u.g, l.id FROM u,"
            " LATERAL (SELECT id FROM t WHERE t.k = u.k ORDER BY id LIMIT 2) l"
        ),
        since=(4, 0),
    ),
    Case(
        "lateral_sum",
        lambda v: v.sql(
            "SELECT u.g, l.m FROM u, LATERAL (SELECT sum(id) AS m FROM t WHERE t.k = u.k) l"
        ),
    ),
)
SOURCES = (
    Case(
        "csv",
        lambda v: (
            v.spark.read.csv(str(v.directory / "csv"), header=True, inferSchema=True)
            .groupBy("k")
            .agg(F.sum("id").alias("m"))
        ),
    ),
    Case(
        "json",
        lambda v: v.spark.read.json(str(v.directory / "json")).groupBy("k").agg(F.sum("id")),
    ),
    Case(
        "orc",
        lambda v: v.spark.read.orc(str(v.directory / "orc")).groupBy("k").agg(F.sum("id")),
    ),
    Case(
        "local_rows",
        lambda v: (
            v.spark.createDataFrame([(1, "a"), (2, "b")], "k INT, z STRING")
            .join(v.t, "k")
            .select("z", "id")
        ),
    ),
    Case("range", lambda v: v.spark.range(10).groupBy(F.expr("id % 3")).count()),
    Case("cached", lambda v: v.t.where("k = 1").cache().groupBy("k").count()),
    Case(
        "rdd",
        lambda v: (
            v.spark.createDataFrame(v.t.select("k", "id").rdd, "k INT, id LONG")
            .groupBy("k")
            .agg(F.sum("id").alias("m"))
        ),
    ),
    Case(
        "map_column",
        lambda v: v.spark.sql("SELECT * FROM VALUES (1, map(1, 2)), (1, map(3, 4)) v(k, m)"),
        fidelity="superset",
    ),
)
UNKNOWN = (
    Case(
        "map_in_pandas",
        lambda v: v.t.select("id", "x").mapInPandas(larger_than_5, "id LONG, x DOUBLE"),
        fidelity="unknown",
        comes_again=False,
        reason="opaque:MapInPandas",
    ),
    Case(
        "apply_in_pandas",
        lambda v: v.t.groupBy("k").applyInPandas(top_of_group, "k INT, x DOUBLE"),
        fidelity="unknown",
        comes_again=False,
        reason="opaque:FlatMapGroupsInPandas",
    ),
    Case(
        "rand",
        lambda v: v.t.select("id", F.rand(3).alias("r")),
        fidelity="unknown",
        comes_again=False,
        reason="nondeterministic:rand",
    ),
    Case(
        "uuid",
        lambda v: v.t.selectExpr("id", "uuid() AS u"),
        fidelity="unknown",
        comes_again=False,
        reason="nondeterministic:uuid",
    ),
    Case(
        "rand_filter",
        lambda v: v.t.coalesce(1).where(F.rand(3) < 0.5).groupBy("k").count(),
        fidelity="unknown",
        comes_again=False,
        reason="nondeterministic:rand",
    ),
    Case(
        "sample",
        lambda v: v.t.select("id", "k").sample(0.5, seed=3),
        fidelity="unknown",
        comes_again=False,
        reason="nondeterministic:Sample",
    ),
    Case(
        "offset",
        lambda v: v.t.orderBy("id").select("id").offset(50),
        fidelity="unknown",
        comes_again=False,
        reason="position:Offset",
    ),
    Case(
        "increasing",
        lambda v: v.t.select("id", F.monotonically_increasing_id().alias("m")),
        fidelity="unknown",
        comes_again=False,
        reason="nondeterministic:monotonically_increasing_id",
    ),
)
ALL_CASES = (*ROWS, *JOINS, *AGGREGATES, *SETS, *WINDOWS, *SUBQUERIES, *SOURCES, *UNKNOWN)
CASES = tuple(case for case in ALL_CASES if case.since <= SPARK)
