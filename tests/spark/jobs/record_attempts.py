"""Speculative attempts and lost executors: ``record_attempts.py DIRECTORY``, on two executors."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from pyspark import TaskContext
from pyspark.sql import SparkSession

import lineage.records as records

home = Path(sys.argv[1])
spark = SparkSession.builder.appName("RecordAttempts").getOrCreate()
context = spark.sparkContext
results: dict[str, Any] = {}

parse = records.step(
    lambda row: None if row["id"] % 10 == 3 else row,
    key="id", name="parse", dead_letter=home / "dead",
)  # fmt: skip


def wait_for(name: str) -> None:
    deadline = time.monotonic() + 120
    while not (home / name).exists():
        assert time.monotonic() < deadline, f"no {name}"
        time.sleep(0.05)


def wait_for_the_other(rows: Any) -> Any:
    """Let the first attempt of a task wait for the end of its speculative attempt."""
    every = list(rows)
    task = TaskContext.get()
    if task.partitionId() == 3:
        if task.attemptNumber() == 0:
            (home / "attempted").touch()
            wait_for("speculated")
        else:
            (home / "speculated").touch()
    return iter(every)


def kill_executor_once(rows: Any) -> Any:
    """Kill the JVM of the executor, with the shuffle files that it has."""
    every = list(rows)
    try:
        (home / "killed").touch(exist_ok=False)
    except FileExistsError:
        return iter(every)
    daemon = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1]
    os.kill(int(daemon), signal.SIGKILL)
    wait_for("never")
    return iter(every)


def pairs(row: Any) -> Any:
    return row["id"] % 4, row["id"]


def summarize(capture: records.Capture) -> Any:
    [node] = capture.report().nodes
    return {"rows": node.rows_in, "outcomes": node.outcomes, "items": len(capture.items())}


rdd = context.parallelize([{"id": n} for n in range(200)], 4)
with records.capture(spark, sample=1.0) as capture:
    grouped = rdd.mapPartitions(parse).mapPartitions(wait_for_the_other).map(pairs).groupByKey(2)
    results["sizes"] = sorted(len(values) for _, values in grouped.collect())
results["speculation"] = summarize(capture)
results["speculated"] = (home / "speculated").exists() and (home / "attempted").exists()

with records.capture(spark, sample=1.0) as capture:
    grouped = rdd.mapPartitions(parse).map(pairs).groupByKey(4).mapPartitions(kill_executor_once)
    results["sizes after a loss"] = sorted(len(values) for _, values in grouped.collect())
results["lost executor"] = summarize(capture)
results["killed"] = (home / "killed").exists()

(home / "results.json").write_text(json.dumps(results))
spark.stop()
