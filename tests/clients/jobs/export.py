"""Copies a table of the shop's database to the lake: ``export.py DIRECTORY URL LAKE``."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

DRIVER = {"driver": "org.postgresql.Driver"}

_, url, lake = sys.argv[1:]
spark = SparkSession.builder.appName("Export").getOrCreate()
spark.read.jdbc(url, "mart.daily", properties=DRIVER).write.parquet(f"{lake}/daily")
spark.stop()
