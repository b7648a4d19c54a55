"""Measure the driver's heap after garbage collections while the number of executions grows.

python -m benchmarks.memory [--executions N]
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.listener import OURS, count_ends
from lineage.spark.launcher import jar

VARIANTS = ("without the listener", "files", "a collector that is down")
STEPS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=int, default=10_000)
    parser.add_argument("--driver", choices=VARIANTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.driver:
        print(json.dumps(heap(options.driver, options.executions)))
        return
    measured = [in_a_driver_of_its_own(variant, options.executions) for variant in VARIANTS]
    print(f"| executions | {' | '.join(VARIANTS)} |\n|---:|" + "---:|" * len(VARIANTS))
    for step, row in enumerate(zip(*measured, strict=True), start=1):
        cells = " | ".join(f"{size / 2**20:.1f}" for size in row)
        print(f"| {options.executions * step // STEPS:,} | {cells} |")


def in_a_driver_of_its_own(variant: str, executions: int) -> list[int]:
    arguments = ["--driver", variant, "--executions", str(executions)]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory", *arguments],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    sizes: list[int] = json.loads(done.stdout.splitlines()[-1])
    return sizes


def heap(variant: str, executions: int) -> list[int]:
    """Run small writes; return the bytes in use after each tenth of them."""
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory(prefix="lineage-bench-") as spool, socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # reserves a port on which nothing listens
        settings = {"spark.lineage.spool": spool, **SETTINGS}
        if variant != VARIANTS[0]:
            settings["spark.extraListeners"] = OURS
        if variant == VARIANTS[2]:
            settings["spark.lineage.url"] = f"http://127.0.0.1:{bound.getsockname()[1]}"
        builder = SparkSession.builder.master("local[2]").appName("memory")
        for key, value in settings.items():
            builder = builder.config(key, value)
        spark = builder.getOrCreate()
        sizes = []
        for _ in range(STEPS):
            for number in range(executions // STEPS):
                columns = (f"id + {number} AS c{n}" for n in range(20))
                frame = spark.range(1).selectExpr(*columns).coalesce(1)
                frame.write.format("noop").mode("overwrite").save()
            sizes.append(in_use(spark))
        spark.stop()
        if variant != VARIANTS[0]:
            assert count_ends(Path(spool)) == executions
        return sizes


# With these limits, Spark's own data on executions, jobs and stages stop growing in the first step.
SETTINGS = {
    "spark.jars": str(jar.jar_path(*jar.installed_spark())),
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.retainedJobs": "200",
    "spark.ui.retainedStages": "200",
    "spark.ui.retainedTasks": "200",
    "spark.sql.ui.retainedExecutions": "200",
}


def in_use(spark: object) -> int:
    jvm = spark._jvm  # type: ignore[attr-defined]
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()  # type: ignore[attr-defined]
    for _ in range(3):
        jvm.System.gc()
        jvm.System.runFinalization()
    memory = jvm.java.lang.management.ManagementFactory.getMemoryMXBean()
    return int(memory.getHeapMemoryUsage().getUsed())


if __name__ == "__main__":
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    main()
