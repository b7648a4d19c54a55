"""Runs the statements of its input, one in each line: ``statements.py``."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
for statement in sys.stdin:
    spark.sql(statement).collect()
spark.stop()
