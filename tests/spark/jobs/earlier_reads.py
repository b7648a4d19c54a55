"""Writes rows that earlier executions had read, after a change of their source: ``… DIRECTORY``."""

from __future__ import annotations

import shutil
import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from support.spark.session import session

from lineage.spark import configure

home = sys.argv[1]
builder = SparkSession.builder.appName("earlier").master("local[2]")
spark = session(configure(builder, spool=f"{home}/spool", namespace="tests"), home, {})


def lake(name: str) -> str:
    return f"{home}/lake/{name}"


spark.range(3).withColumn("note", F.lit("first")).write.parquet(lake("first"))
spark.range(4).withColumn("note", F.lit("second")).write.parquet(lake("second"))
spark.read.parquet(lake("first")).write.parquet(lake("table"))
before = spark.read.parquet(lake("table")).localCheckpoint()
spark.sql("DECLARE VARIABLE top BIGINT")
spark.sql(f"SET VAR top = (SELECT max(id) FROM parquet.`{lake('table')}`)")
spark.read.parquet(lake("second")).write.mode("overwrite").parquet(lake("table"))
before.write.parquet(lake("of checkpoint"))
before.groupBy("note").count().localCheckpoint().write.parquet(lake("of chain"))
spark.range(9).where("id <= top").write.parquet(lake("of variable"))
after = spark.read.parquet(lake("table"))
after.join(before, "id", "left_anti").write.parquet(lake("of both"))
assert {row.note for row in spark.read.parquet(lake("of checkpoint")).collect()} == {"first"}

# RDDs change the files of a cached frame without removing the cache.
texts = {"one": ["1"], "two": ["2"]}
for name, lines in texts.items():
    spark.sparkContext.parallelize(lines).saveAsTextFile(lake(name))


def write_lines(name: str, version: str) -> None:
    shutil.rmtree(lake(name), ignore_errors=True)
    spark.sparkContext.textFile(lake(version)).saveAsTextFile(lake(name))


def values(frame: DataFrame) -> set[str]:
    return {row.value for row in frame.select("value").collect()}


for name in ("lines", "mixed lines", "more lines", "other lines"):
    write_lines(name, "one")
cached = spark.read.text(lake("lines")).cache()
cached.count()
whole = spark.read.text(lake("mixed lines"))
part = whole.where("value > '0'").cache()
part.count()
# A checkpoint that is not eager reads when it is used.
lazy = spark.read.text(lake("other lines")).localCheckpoint(eager=False)
frames = [spark.read.text(lake("more lines")).where(f"value < '{n}'").cache() for n in range(3, 9)]
within = cached.where("value < '9'").cache()
for frame in (*frames, within):
    frame.count()
of_rdd = spark.sparkContext.textFile(lake("lines")).map(lambda line: (line,)).toDF(["value"])
of_rdd.cache().count()
for name in ("lines", "mixed lines", "more lines", "other lines"):
    write_lines(name, "two")

cached.write.parquet(lake("of cache"))
cached.alias("a").join(cached, "value").write.parquet(lake("of self-join"))
cached.where("value = '1'").union(cached.where("value <> '1'")).write.parquet(lake("of union"))
cached.write.option("path", lake("of saveAsTable")).saveAsTable("saved")
spark.read.text(lake("lines")).write.parquet(lake("of equal plan"))
cached.createOrReplaceTempView("cached")
for name in ("first_insert", "second_insert"):
    spark.sql(f"CREATE TABLE {name} (value STRING) USING parquet LOCATION '{lake(name)}'")
inserts = "INSERT INTO first_insert SELECT value INSERT INTO second_insert SELECT value"
spark.sql(f"FROM cached {inserts}")
cached.writeTo("of_writeTo").using("parquet").create()
assert values(spark.table("of_writeTo")) == {"1"}
of_rdd.write.parquet(lake("of RDD"))
within.write.parquet(lake("of cache within cache"))
within.unpersist()
for number, frame in enumerate(frames):
    frame.write.parquet(lake(f"before unpersist {number}"))
    frame.unpersist()
names = ("cache", "self-join", "union", "saveAsTable", "equal plan", "RDD")
for name in (*(f"of {name}" for name in names), "first_insert", "before unpersist 5"):
    assert values(spark.read.parquet(lake(name))) == {"1"}, name

whole.join(part.withColumnRenamed("value", "other")).write.parquet(lake("of whole and part"))
lazy.write.parquet(lake("of lazy checkpoint"))
assert values(spark.read.parquet(lake("of lazy checkpoint"))) == {"2"}
spark.stop()
