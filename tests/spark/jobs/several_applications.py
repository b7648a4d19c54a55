"""Several applications in one JVM, each with other settings; the last ends with an error."""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

home = Path(sys.argv[1])


def application(
    name: str, disabled: str = "false", run_id: str = "", **settings: str
) -> SparkSession:
    builder = SparkSession.builder.appName(name).config("spark.openlineage.disabled", disabled)
    if run_id:
        builder = builder.config("spark.openlineage.applicationRunId", run_id)
    for key, value in {"spool": str(home / name), **settings}.items():
        builder = builder.config(f"spark.lineage.{key}", value)
    return builder.getOrCreate()


def write(spark: SparkSession, columns: int = 1) -> None:
    frame = spark.range(1).selectExpr(*(f"id AS column_{n}" for n in range(columns)))
    target = f"{home}/lake/{spark.sparkContext.appName}"
    frame.write.mode("overwrite").parquet(target)
    again = frame.selectExpr(*(f"column_{n} + {n} AS column_{n}" for n in range(columns)))
    again.write.mode("overwrite").parquet(f"{target}-again")


def write_long_plan(spark: SparkSession) -> None:
    """Write with a plan whose START and END have 150 kB each."""
    options = {f"option{n}": "x" * 30_000 for n in range(5)}
    spark.range(1).coalesce(1).write.format("noop").mode("overwrite").options(**options).save()


def wait_for(file: Path, text: str, times: int = 1) -> None:
    deadline = time.monotonic() + 120
    while file.read_text().count(text) < times:
        assert time.monotonic() < deadline, f"{file} has no {text!r}"
        time.sleep(0.05)


# A file size limit makes a write fail as a full disk does, and does not require root.
spark = application("disk-full", **{"spool.rotateBytes": "1g"})
driver = spark._jvm.java.lang.ProcessHandle.current().pid()
write_long_plan(spark)
write_long_plan(spark)
(spooled,) = (home / "disk-full").glob("*.jsonl")
wait_for(spooled, '"kind":"execution_end"', times=2)  # the spool is now longer than the log
soft, hard = resource.prlimit(driver, resource.RLIMIT_FSIZE)
resource.prlimit(driver, resource.RLIMIT_FSIZE, (spooled.stat().st_size + 1000, hard))
write_long_plan(spark)
wait_for(home / "spark.log", "disk-full cannot be written")
write_long_plan(spark)
resource.prlimit(driver, resource.RLIMIT_FSIZE, (soft, hard))
spark.stop()

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

bad = {"flushTimeout": "soon", "plan.maxByte": "1"}
spark = application("bad-settings", run_id="load-42", **bad)
write(spark)
spark.stop()

spark = application("faulty")
for sink in ("Throws", "LacksClass", "Breaks"):
    spark.range(3).write.format(f"faults.Sink${sink}").save()
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
