"""Measure the listener: time on the bus, time and size of plan documents, time of a whole job.

python -m benchmarks.listener [--pairs N]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from lineage.spark.launcher import jar

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

JAVA = Path(__file__).parent / "java"
OURS = "io.lineage.spark.LineageListener"
TIMED = "io.lineage.spark.TimedListener"


@dataclass(frozen=True)
class Shape:
    """A plan to measure, and the number of its executions."""

    name: str
    build: Callable[[SparkSession], DataFrame]
    executions: int


def columns(count: int) -> Callable[[SparkSession], DataFrame]:
    return lambda spark: spark.read.parquet(f"{lake()}/{count}").where("c0 > 1")


def joins(count: int, times: int) -> Callable[[SparkSession], DataFrame]:
    def build(spark: SparkSession) -> DataFrame:
        table = spark.read.parquet(f"{lake()}/{count}")
        renamed = (
            table.select(
                F.col("c0"), *(F.col(f"c{n}").alias(f"j{j}_c{n}") for n in range(1, count))
            )
            for j in range(times)
        )
        return reduce(lambda left, right: left.join(right, "c0"), renamed, table)

    return build


def projections(count: int, times: int) -> Callable[[SparkSession], DataFrame]:
    def build(spark: SparkSession) -> DataFrame:
        frame = spark.read.parquet(f"{lake()}/{count}")
        for n in range(times):
            frame = frame.withColumn(
                f"c{n}", F.expr(f"CASE WHEN c{n + 1} > 1 THEN c{n} + 1 ELSE 0 END")
            )
        return frame

    return build


SHAPES = [
    Shape("10 columns", columns(10), 200),
    Shape("100 columns", columns(100), 200),
    Shape("500 columns", columns(500), 100),
    Shape("100 columns, 5 joins", joins(100, 5), 200),
    Shape("500 columns, 5 joins", joins(500, 5), 10),
    Shape("500 columns, 20 projections", projections(500, 20), 50),
]


HEADINGS = [
    "events",
    "on the bus, µs: median",
    "p99",
    "p99 of processor time",
    "written off the bus, ms: median",
    "p99",
    "document, bytes",
    "toJSON, bytes",
    "ratio",
]


def lake() -> str:
    return os.environ["LINEAGE_BENCH_LAKE"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=15, help="number of pairs of job runs")
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory(prefix="lineage-bench-") as directory:
        os.environ["LINEAGE_BENCH_LAKE"] = f"{directory}/lake"
        os.environ["PYSPARK_SUBMIT_ARGS"] = submit_arguments(Path(directory))
        print(machine())
        print(events_and_plans(Path(directory)))
        print(jobs(Path(directory), pairs))
        print(shares(Path(directory)))


def submit_arguments(directory: Path) -> str:
    """Compile the clock; return arguments with it and the listener on the driver's class path."""
    import pyspark

    listener = jar.jar_path(*jar.installed_spark())
    spark_jars = Path(pyspark.__file__).parent / "jars"
    classes = directory / "classes"
    sources = [str(source) for source in JAVA.rglob("*.java")]
    path = f"{listener}:{spark_jars}/*"
    subprocess.run(
        [
            "javac",
            "--release",
            "8",
            "-Xlint:-options",
            "-nowarn",
            "-cp",
            path,
            "-d",
            classes,
            *sources,
        ],
        check=True,
    )
    return f"--driver-class-path {listener}:{classes} --driver-memory 2g pyspark-shell"


def session(directory: Path, listener: str | None) -> SparkSession:
    builder = SparkSession.builder.master("local[2]").appName("bench")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.lineage.spool": str(directory / "spool"),
        "spark.driver.host": "127.0.0.1",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    builder = builder.config("spark.extraListeners", listener or "")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def events_and_plans(directory: Path) -> str:
    spark = session(directory, TIMED)
    for count in (10, 100, 500):
        names = (f"id + {n} AS c{n}" for n in range(count))
        spark.range(3).selectExpr(*names).coalesce(1).write.parquet(f"{lake()}/{count}")
    rows = [measured(spark, shape) for shape in SHAPES]
    deep = deep_plan(spark)
    spark.stop()
    header = [
        f"| plan | {' | '.join(HEADINGS)} |",
        "|---|" + "---:|" * len(HEADINGS),
    ]
    return "\n".join([*header, *rows, "", deep, ""])


def measured(spark: SparkSession, shape: Shape) -> str:
    clock = spark._jvm.io.lineage.spark.TimedListener
    frame = shape.build(spark)
    for phase in (5, shape.executions):
        for _ in range(phase):
            frame.write.format("noop").mode("overwrite").save()
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        bus = sorted(nanos / 1e3 for nanos in clock.takeEvents())
        cpu = sorted(nanos / 1e3 for nanos in clock.takeProcessorTimes())
    plan = frame._jdf.queryExecution().analyzed()
    clock.write(plan, 20)
    written = sorted(nanos / 1e6 for nanos in clock.write(plan, 100))
    document, to_json = clock.bytes(plan), len(plan.toJSON().encode())
    cells = [
        shape.name,
        str(len(bus)),
        f"{statistics.median(bus):.0f}",
        f"{p99(bus):.0f}",
        f"{p99(cpu):.0f}",
        f"{statistics.median(written):.2f}",
        f"{p99(written):.2f}",
        f"{document:,}",
        f"{to_json:,}",
        f"1/{to_json / document:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def p99(ordered: list[float]) -> float:
    return ordered[min(len(ordered) - 1, round(0.99 * len(ordered)))]


def deep_plan(spark: SparkSession) -> str:
    clock = spark._jvm.io.lineage.spark.TimedListener
    plan = clock.deep(spark.range(1)._jdf.queryExecution().analyzed(), 5000)
    document = json.loads(clock.document(plan))
    assert "truncated" not in document
    return f"A plan of 5,000 operators, one on the other: {len(document['nodes']):,} nodes written."


def jobs(directory: Path, pairs: int) -> str:
    """Run the same job with and without the listener, in turns, and compare each pair."""
    for listener in (None, OURS) * 2:
        job(directory, listener)
    ratios, without = [], []
    for pair in range(pairs):
        times = {}
        order = [None, OURS]
        for listener in order if pair % 2 else reversed(order):
            times[listener] = job(directory, listener)
        ratios.append(times[OURS] / times[None])
        without.append(times[None])
    low, high = interval(ratios)
    return (
        f"A job of 12 executions, {pairs} pairs in turns: {statistics.median(without):.2f} s"
        f" without the listener; with it {statistics.median(ratios):.3f} times that (median of the"
        f" pairs; 95 % interval of the median {low:.3f} to {high:.3f})."
    )


def job(directory: Path, listener: str | None) -> float:
    """Return the seconds of a job, including start and stop of its Spark context."""
    start = time.perf_counter()
    spark = session(directory, listener)
    work(spark)
    spark.stop()
    return time.perf_counter() - start


EXECUTIONS = 12


def work(spark: SparkSession) -> None:
    numbers = spark.range(1_000_000).selectExpr("id", "id % 100 AS k", "rand(1) AS v")
    numbers.write.mode("overwrite").parquet(f"{lake()}/numbers")
    table = spark.read.parquet(f"{lake()}/numbers")
    for n in range(5):
        grouped = table.where(f"k > {n}").groupBy("k").agg(F.sum("v").alias("v"))
        grouped.write.mode("overwrite").parquet(f"{lake()}/grouped-{n}")
        joined = table.join(grouped, "k").groupBy("k").count()
        joined.write.mode("overwrite").json(f"{lake()}/joined-{n}")
    table.count()


def shares(directory: Path, times: int = 5) -> str:
    """Run the job with a clock in the listener; return the listener's share of processor time."""
    found = [share(directory / f"share-{n}") for n in range(times)]
    return (
        f"Of the processor time of the driver in such a job, the listener, on the bus and in its"
        f" threads, has {statistics.median(found):.2%} (median of {times}; most {max(found):.2%})."
    )


def share(directory: Path) -> float:
    spark = session(directory, TIMED)
    clock = spark._jvm.io.lineage.spark.TimedListener
    ours, whole = clock.processorTime(), clock.processorTimeOfTheDriver()
    work(spark)
    while count_ends(directory / "spool") < EXECUTIONS:
        time.sleep(0.05)
    ours, whole = clock.processorTime() - ours, clock.processorTimeOfTheDriver() - whole
    spark.stop()
    return float(ours / whole)


def count_ends(spool: Path) -> int:
    """Return the number of executions whose end the listener has recorded."""
    files = spool.rglob("*.jsonl")
    return sum(file.read_text().count('"kind":"execution_end"') for file in files)


def interval(values: list[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the median."""
    draw = random.Random(0)
    medians = sorted(statistics.median(draw.choices(values, k=len(values))) for _ in range(2000))
    return medians[49], medians[1949]


def machine() -> str:
    version = subprocess.run(
        ["java", "-version"], capture_output=True, text=True, check=True
    ).stderr
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**30
    return (
        f"{os.cpu_count()} cores, {memory} GiB, Python {sys.version.split()[0]},"
        f" {version.splitlines()[0]}, Spark {jar.installed_spark().version}.\n"
    )


if __name__ == "__main__":
    main()
