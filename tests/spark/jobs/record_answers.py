"""Writes each frame of a suite to OUT/NAME/answer: ``record_answers.py SUITE LAKE OUT``."""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession
from support.cases.record_answers import frames

suite, lake, out = sys.argv[1:]
spark = SparkSession.builder.appName("record_answers").getOrCreate()
for name, frame in frames(suite, spark, Path(lake)):
    frame.write.parquet(f"{out}/{name}/answer")
spark.stop()
