"""Writes lines of a file to a topic: ``events.py DIRECTORY SERVER TOPIC``."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession
from support.spark.connector_packages import KAFKA
from support.spark.session import session

home, server, topic = sys.argv[1:]
spark = session(SparkSession.builder.appName("Events").master("local[2]"), home, KAFKA.settings)
writer = spark.read.text(f"{home}/events.jsonl").write.format("kafka")
writer.option("kafka.bootstrap.servers", server).option("topic", topic).save()
spark.stop()
