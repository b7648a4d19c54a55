"""Writes rows that earlier executions had read, after a change of their source: ``… DIRECTORY``."""

from __future__ import annotations

import shutil
import sys

from pyspark.sql import SparkSession
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
spark.sparkContext.textFile(lake("one")).saveAsTextFile(lake("lines"))
cached = spark.read.text(lake("lines")).cache()
cached.count()
shutil.rmtree(lake("lines"))
spark.sparkContext.textFile(lake("two")).saveAsTextFile(lake("lines"))
cached.write.parquet(lake("of cache"))
assert [row.value for row in spark.read.parquet(lake("of cache")).collect()] == ["1"]

# A checkpoint that is not eager reads when it is used.
spark.sparkContext.textFile(lake("one")).saveAsTextFile(lake("other lines"))
lazy = spark.read.text(lake("other lines")).localCheckpoint(eager=False)
shutil.rmtree(lake("other lines"))
spark.sparkContext.textFile(lake("two")).saveAsTextFile(lake("other lines"))
lazy.write.parquet(lake("of lazy checkpoint"))
assert [row.value for row in spark.read.parquet(lake("of lazy checkpoint")).collect()] == ["2"]
spark.stop()
