"""A tapped write whose tasks fail once, in executors of their own: ``record_taps.py DIRECTORY``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import lineage.records as records


def fail_once(number: int) -> int:
    """Return the number; the first attempt of each task fails at the rows 40 to 59."""
    from pyspark import TaskContext

    context: Any = TaskContext.get()
    if context.attemptNumber() == 0 and 40 <= number < 60:
        raise ValueError("the first attempt")
    return number


def main(directory: str) -> None:
    place = Path(directory)
    spark = SparkSession.builder.getOrCreate()
    raw = str(place / "raw")
    spark.range(0, 100, 1, 2).selectExpr("id", "id / 3 AS third").write.parquet(raw)
    failing = F.udf(fail_once, "long")
    frame = spark.read.parquet(raw).withColumn("same", failing("id")).where("id % 10 > 0")
    with records.capture(spark, sample=1.0, pipeline="taps") as capture:
        capture.tap(frame).write.parquet(str(place / "out"))
    [node] = capture.report().nodes
    items = capture.items()
    result = {
        "rows": spark.read.parquet(str(place / "out")).count(),
        "node": [node.rows_in, node.rows_out],
        "items": len(items),
        "emissions": [item.hops[0].output_emission_count for item in items],
        "attempts": sorted({part.attempt for part in capture._parts.counted_parts()}),
    }
    # By content: the ids depend on all columns.
    spark.read.parquet(raw).write.csv(str(place / "csv"))
    lines = spark.read.schema("id LONG, third DOUBLE").csv(str(place / "csv"))
    thirds = lines.groupBy("id").agg({"third": "max"}).withColumnRenamed("max(third)", "most")
    with records.capture(spark, sample=1.0) as capture:
        capture.tap(thirds.where("most > 3")).write.parquet(str(place / "tapped"))
    thirds.where("most > 3").write.parquet(str(place / "plain"))
    result["groups"] = len(capture.items())
    (place / "result.json").write_text(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
