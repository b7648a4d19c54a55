"""Two applications: the first writes columns without a name of their own; the second reads them."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from support.cases.secrets import secret

home = sys.argv[1]


def lake(name: str) -> str:
    return f"{home}/lake/{name}"


def application(name: str) -> SparkSession:
    return SparkSession.builder.appName(name).getOrCreate()


spark = application("writer")
orders = spark.createDataFrame(
    [(1, 2, "a", 5.0, "2024-01-05")], "id INT, person INT, cat STRING, amount DOUBLE, day STRING"
)
orders.write.parquet(lake("orders"))
orders = spark.read.parquet(lake("orders"))
orders.groupBy(F.date_format("day", "yyyy-MM")).agg(F.sum("amount")).write.parquet(lake("monthly"))
orders.selectExpr(
    "struct(id, amount)", "struct(person, cat)", f"concat(cat, '-{secret(0)}')", "concat(day, '-y')"
).write.parquet(lake("alike"))
orders.selectExpr(
    f"hex(aes_encrypt(cat, '{secret(1)}abc'))", f"cat LIKE '%{secret(2)}'", f"cat = '{secret(3)}'",
    f"CASE WHEN cat = '{secret(4)}' THEN id END", f"split(cat, '{secret(5)}')[0]",
).write.parquet(lake("secrets"))  # fmt: skip
lines = orders.select(F.to_json(F.struct("cat")).alias("js"), "day")
lines.write.partitionBy("day").text(lake("lines"))
spark.udf.register("MASK_OF", lambda text, key: text, "string")
orders.selectExpr(f"MASK_OF(cat, '{secret(6)}')").write.parquet(lake("masked"))
spark.stop()

spark = application("reader")
spark.read.parquet(lake("monthly")).toDF("month", "total").write.parquet(lake("report"))
spark.read.parquet(lake("alike")).toDF("s", "t", "x", "y").write.parquet(lake("parts"))
spark.read.text(lake("lines")).selectExpr("value AS v", "day AS d").write.parquet(lake("parsed"))
for name in ("secrets", "masked"):
    spark.read.parquet(lake(name)).write.parquet(lake(f"copied {name}"))
spark.stop()
