"""Speculative attempts and lost executors: ``record_attempts.py DIRECTORY``.

Spark speculates on another host only. Therefore this process is the master and has two workers with
addresses of their own.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from pyspark import SparkContext, TaskContext
from pyspark.sql import SparkSession

import lineage.records as records

home = Path(sys.argv[1])


def start_cluster() -> str:
    """Start a master and two workers in the JVM of the driver; return the URL of the master."""
    SparkContext._ensure_initialized()
    jvm = SparkContext._jvm
    deploy, conf = jvm.org.apache.spark.deploy, jvm.org.apache.spark.SparkConf()
    none = getattr(jvm.scala, "None$").__getattr__("MODULE$")
    master = deploy.master.Master.startRpcEnvAndEndpoint("127.0.0.1", 0, 0, conf)._1()
    url = master.address().toSparkURL()
    urls = SparkContext._gateway.new_array(jvm.java.lang.String, 1)
    urls[0] = url
    for host in ("127.0.0.2", "127.0.0.3"):
        deploy.worker.Worker.startRpcEnvAndEndpoint(
            host, 0, 0, 2, 512, urls, str(home / host), none, conf, none
        )
    return url


spark = SparkSession.builder.appName("RecordAttempts").master(start_cluster()).getOrCreate()
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
    """Let the first attempt of a task wait for its speculative attempt."""
    every = list(rows)
    task = TaskContext.get()
    if task.partitionId() == 3:
        (home / f"attempt {task.attemptNumber()}").touch()
        wait_for("attempt 1")
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
results["attempts"] = sorted(path.name for path in home.glob("attempt *"))

with records.capture(spark, sample=1.0) as capture:
    grouped = rdd.mapPartitions(parse).map(pairs).groupByKey(4).mapPartitions(kill_executor_once)
    results["sizes after a loss"] = sorted(len(values) for _, values in grouped.collect())
results["lost executor"] = summarize(capture)
results["killed"] = (home / "killed").exists()

(home / "results.json").write_text(json.dumps(results))
spark.stop()
