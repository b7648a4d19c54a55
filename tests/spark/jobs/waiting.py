"""Writes one table, creates a marker file, and then runs an endless job."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

home = Path(sys.argv[1])
spark = SparkSession.builder.appName("Waiting").getOrCreate()
spark.range(3).write.parquet(str(home / "lake"))


def endless(value):
    (home / "running").touch()
    while True:
        time.sleep(1)


spark.range(1).select(F.udf(endless, "long")("id")).write.parquet(str(home / "never"))
