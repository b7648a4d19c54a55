"""Writes lines, a tombstone and a byte to a topic: ``events.py DIRECTORY SERVER TOPIC``."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession
from support.spark.connector_packages import KAFKA
from support.spark.session import session

home, server, topic = sys.argv[1:]
spark = session(SparkSession.builder.appName("Events").master("local[2]"), home, KAFKA.settings)
lines = spark.read.text(f"{home}/events.jsonl").selectExpr("CAST(value AS binary) AS value")
others = spark.createDataFrame([(None,), (b"\xff",)], "value binary")
writer = lines.union(others).write.format("kafka")
writer.option("kafka.bootstrap.servers", server).option("topic", topic).save()
spark.stop()
