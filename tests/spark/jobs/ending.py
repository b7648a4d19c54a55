"""Writes a table and ends as the words of its second argument specify."""

from __future__ import annotations

import os
import signal
import sys

from pyspark.sql import SparkSession

from lineage.spark import configure

words = sys.argv[2:]
builder = SparkSession.builder.appName("Ending")
spark = (configure(builder) if "configured" in words else builder).getOrCreate()
spark.range(3).write.parquet(f"{sys.argv[1]}/lake")
if "stopped" in words:
    spark.stop()
if "raises" in words:
    sys.exit(str(1 // 0))
if "dies" in words:
    os._exit(3)
if "killed" in words:
    os.kill(os.getpid(), signal.SIGKILL)
if "terminated" in words:
    os.kill(os.getppid(), signal.SIGTERM)
    spark.sparkContext._jvm.java.lang.Thread.sleep(60_000)  # until the JVM has ended
if "exits 0" in words:
    sys.exit(0)
if "exits 3" in words:
    raise SystemExit(3)
