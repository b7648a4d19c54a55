"""Reads and writes Avro files: ``avro.py DIRECTORY``."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession
from pyspark.sql.avro.functions import from_avro, to_avro
from support.spark.connector_packages import AVRO
from support.spark.session import session

from lineage.spark import configure

(directory,) = sys.argv[1:]
SCHEMA = '{"type": "record", "name": "person", "fields": [{"name": "n", "type": "long"}]}'

builder = SparkSession.builder.appName("Avro").master("local[2]")
builder = configure(builder, spool=f"{directory}/spool", namespace="tests")
spark = session(builder, directory, AVRO.settings)


def case(name: str) -> None:
    spark.sparkContext.setJobGroup(name, name)


case("write")
people = spark.range(4).selectExpr("id AS n", "id % 2 AS day")
people.write.format("avro").partitionBy("day").save(f"{directory}/people")

case("read")
read = spark.read.format("avro").load(f"{directory}/people")
read.selectExpr("n + 1 AS m", "day").write.format("avro").save(f"{directory}/more")

case("read with a schema")
read = spark.read.format("avro").option("avroSchema", SCHEMA).load(f"{directory}/people/day=1")
read.write.parquet(f"{directory}/plain")

case("a table")
spark.sql(f"CREATE TABLE kept USING avro AS SELECT m FROM avro.`{directory}/more`")

case("values")
packed = spark.read.parquet(f"{directory}/plain").select(to_avro("n").alias("bytes"))
packed.select(from_avro("bytes", '"long"').alias("n")).write.format("avro").save(
    f"{directory}/values"
)
spark.stop()
