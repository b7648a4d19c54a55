"""Joins the lake's copy with a table of the database: ``report.py DIRECTORY URL LAKE``."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

DRIVER = {"driver": "org.postgresql.Driver"}

_, url, lake = sys.argv[1:]
spark = SparkSession.builder.appName("Report").getOrCreate()
daily = spark.read.parquet(f"{lake}/daily")
large = spark.read.jdbc(url, "mart.top", properties=DRIVER)
daily.join(large, "customer").select("customer", "revenue").write.parquet(f"{lake}/report")
spark.stop()
