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
orders.createOrReplaceTempView("o")
totals = spark.sql("SELECT cat, round(sum(id), 2), round(sum(amount), 2) FROM o GROUP BY cat")
totals.write.json(lake("totals"))
orders.selectExpr("id AS `Price(EUR)`", "amount AS `Price(USD)`").write.json(lake("prices"))
orders.selectExpr("sha2(day, 256)", "sha2(cat, 256)").write.json(lake("hashes"))
by_cat = orders.groupBy("person").pivot("cat", ["a"])
by_cat.agg(F.round(F.sum("id"), 2), F.round(F.sum("amount"), 2)).write.json(lake("pivoted"))
before = "lag(amount) OVER (PARTITION BY {} ORDER BY id)"
orders.selectExpr(before.format("cat"), before.format("day")).write.json(lake("previous"))
lines = orders.select(F.to_json(F.struct("cat")).alias("js"), "day")
lines.write.partitionBy("day").text(lake("lines"))
for name in ("MASK_OF", "my_struct", "our_struct", "the_struct", "my_greatest", "my_hash"):
    spark.udf.register(name, lambda text, key: text, "string")
orders.selectExpr(
    f"MASK_OF(cat, '{secret(6)}')", f"my_struct(cat, concat('{secret(7)}'))",
    f"our_struct(cat, 'Herr({secret(8)})')", f"my_greatest(cat, '- {secret(9)}')",
    f"my_hash(concat('{secret(10)}'), 'x')", f"the_struct(cat, '{secret(11)} AS STRING')",
).write.parquet(lake("masked"))  # fmt: skip
spark.stop()

spark = application("reader")
spark.read.parquet(lake("monthly")).toDF("month", "total").write.parquet(lake("report"))
spark.read.parquet(lake("alike")).toDF("s", "t", "x", "y").write.parquet(lake("parts"))
spark.read.text(lake("lines")).selectExpr("value AS v", "day AS d").write.parquet(lake("parsed"))
# JSON has the columns in the order of their names; a schema may have some of them
amount = "round(sum(amount), 2)"
spark.read.json(lake("totals")).selectExpr(f"`{amount}` AS total").write.parquet(lake("amounts"))
some = spark.read.schema(f"`{amount}` DOUBLE").json(lake("totals"))
some.toDF("total").write.parquet(lake("some amounts"))
prices = spark.read.json(lake("prices")).selectExpr("`Price(USD)` AS price")
prices.write.parquet(lake("dollars"))
hashed = spark.read.json(lake("hashes")).selectExpr("`sha2(cat, 256)` AS hash")
hashed.write.parquet(lake("hashed"))
for name in ("secrets", "masked"):
    spark.read.parquet(lake(name)).write.parquet(lake(f"copied {name}"))
spark.stop()
