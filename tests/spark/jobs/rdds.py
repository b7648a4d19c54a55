"""Reads and writes RDDs, each case in a separate job group: ``rdds.py DIRECTORY``."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from pyspark.sql import SparkSession

home = Path(sys.argv[1])
spark = SparkSession.builder.appName("Rdds").getOrCreate()
sc = spark.sparkContext
people = f"{home}/people"
spark.range(20).selectExpr("id", "id % 3 AS kind").write.parquet(people)
(home / "texts").mkdir()
(home / "texts" / "a.txt").write_text("one\ntwo\n")
texts = f"file:{home}/texts"


def of(name: str) -> None:
    sc.setJobGroup(name, name)


def ignore(_: object) -> None:
    pass


def fail(_: object) -> None:
    raise ValueError("no more room")


of("frame to text")
spark.read.parquet(people).rdd.map(lambda row: str(row.id)).saveAsTextFile(f"{home}/lake/ids")
of("broadcast join to text")
small = spark.range(2).withColumnRenamed("id", "kind").hint("broadcast")
spark.read.parquet(people).join(small, "kind").rdd.map(str).saveAsTextFile(f"{home}/lake/joined")
of("broadcast join without generated code")
spark.conf.set("spark.sql.codegen.wholeStage", "false")
spark.read.parquet(people).join(small, "kind").rdd.map(str).saveAsTextFile(f"{home}/lake/fields")
spark.conf.unset("spark.sql.codegen.wholeStage")
of("text to text")
sc.textFile(texts).map(str.upper).saveAsTextFile(f"{home}/lake/upper")
of("two texts")
sc.textFile(f"{texts},{people}").union(sc.textFile(texts)).coalesce(1).saveAsTextFile(
    f"{home}/lake/both"
)
of("whole texts")
sc.wholeTextFiles(texts).values().saveAsTextFile(f"{home}/lake/whole")
of("binary files")
sc.binaryFiles(texts).keys().saveAsTextFile(f"{home}/lake/binary")
of("a list to text")
sc.parallelize([1, 2]).saveAsTextFile(f"{home}/lake/list")
of("a list to pickles")
sc.parallelize([1, 2]).saveAsPickleFile(f"{home}/lake/pickles")
of("a signed path")
sc.textFile(texts).saveAsTextFile(f"{home}/lake/signed?sig=hunter2")
of("foreach")
spark.read.parquet(people).foreach(ignore)
of("foreachPartition")
spark.read.parquet(people).where("id > 3").foreachPartition(ignore)
of("foreach that fails")
with contextlib.suppress(Exception):
    spark.read.parquet(people).foreach(fail)
of("write that fails")
with contextlib.suppress(Exception):
    sc.textFile(texts).map(fail).saveAsTextFile(f"{home}/lake/never")
of("the same again and again")
for _ in range(3):
    sc.textFile(texts).count()
of("a list alone")
sc.parallelize([1, 2]).count()
of("renamed")
sc.textFile(texts).setName("daily/sales").count()
of("schema")
spark.read.json(spark.sparkContext.parallelize(["{}"])).collect()
spark.stop()
