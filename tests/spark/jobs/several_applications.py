"""Several applications in one JVM, each with settings of its own; the last ends with an error."""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession

home = Path(sys.argv[1])


def application(name: str, disabled: str = "false", **settings: str) -> SparkSession:
    builder = SparkSession.builder.appName(name).config("spark.openlineage.disabled", disabled)
    for key, value in {"spool": str(home / name), **settings}.items():
        builder = builder.config(f"spark.lineage.{key}", value)
    return builder.getOrCreate()


def write(spark: SparkSession, columns: int = 1) -> None:
    frame = spark.range(1).selectExpr(*(f"id AS column_{n}" for n in range(columns)))
    target = f"{home}/lake/{spark.sparkContext.appName}"
    frame.write.mode("overwrite").parquet(target)
    again = frame.selectExpr(*(f"column_{n} + {n} AS column_{n}" for n in range(columns)))
    again.write.mode("overwrite").parquet(f"{target}-again")


blocked = home / "blocked"
blocked.touch()
spark = application("unwritable", spool=f"{blocked}/spool")
write(spark)
spark.stop()

spark = application("writable-later", spool=f"{blocked}/spool")
write(spark)
blocked.unlink()
spark.stop()

for name, limit in (("no-expressions", "9k"), ("relations-only", "2k")):
    spark = application(name, **{"plan.maxBytes": limit})
    write(spark, columns=80)
    spark.stop()

spark = application("small-files", **{"spool.rotateBytes": "4k"})
write(spark)
spark.stop()

spark = application("bad-settings", flushTimeout="soon", **{"plan.maxByte": "1"})
write(spark)
spark.stop()

spark = application("off", enabled="false")
write(spark)
spark.stop()

for name, decision in (("off-by-openlineage", {}), ("on-in-spite-of-it", {"enabled": "true"})):
    spark = application(name, disabled="true", **decision)
    write(spark)
    spark.stop()

spark = application("raises")
write(spark)
spark.range(1).write.parquet(f"{home}/lake/raises")
