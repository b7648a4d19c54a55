"""Writes a table, and another one from it."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

lake = f"{sys.argv[1]}/lake"
spark = SparkSession.builder.appName("Two Steps").getOrCreate()
spark.range(3).write.parquet(f"{lake}/raw")
spark.read.parquet(f"{lake}/raw").where("id > 0").write.parquet(f"{lake}/clean")
spark.stop()
