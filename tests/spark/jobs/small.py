"""One write, and a specific exit code."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("Small").getOrCreate()
spark.range(3).write.parquet(f"{sys.argv[1]}/lake")
sys.exit(3)
