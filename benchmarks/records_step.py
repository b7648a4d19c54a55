"""Measure recorded steps: time of an item, in Python and in Spark, and the size of stored items.

python -m benchmarks.records_step [--items N] [--rounds N] [--dsn DSN]

DSN is a maintenance database of a server, as for benchmarks.emitter.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import lineage.records as records
from benchmarks.emitter import dsn_of, fresh

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZE = "SELECT pg_total_relation_size('lineage.record_item'), pg_table_size('lineage.record_item')"
NODES = "SELECT pg_total_relation_size('lineage.record_node')"


def double(row: dict[str, Any]) -> dict[str, Any]:
    return {"id": row["id"], "amount": row["amount"] * 2}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--dsn")
    options = parser.parse_args()
    print("| key | | ns an item | items a second and core | times the function |")
    print("|---|---|---:|---:|---:|")
    for kind, key_at in {"integer": int, "text": "order-{:08d}".format}.items():
        rows = [{"id": key_at(n), "amount": n} for n in range(options.items)]
        compare_steps(kind, rows, options.rounds)
    print()
    compare_jobs(options.items, options.rounds)
    print()
    store_items(options.dsn)


def compare_steps(kind: str, rows: list[dict[str, Any]], rounds: int) -> None:
    """Print the processor time of each way to process the rows, in turns."""
    step = records.step(double, key="id")
    retrying = records.step(double, key="id", retries=2)
    ways: dict[str, Callable[[], Iterator[Any]]] = {
        "the function, by map()": lambda: map(double, rows),
        "a step, no capture": lambda: step(iter(rows)),
        "a step, 1 % sampled": lambda: step(iter(rows)),
        "a step with retries, 1 % sampled": lambda: retrying(iter(rows)),
        "a step, all sampled, cap 10,000": lambda: step(iter(rows)),
    }
    samples = {"a step, 1 % sampled": 0.01, "a step with retries, 1 % sampled": 0.01,
               "a step, all sampled, cap 10,000": 1.0}  # fmt: skip
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):  # in turns, so that load on the machine affects all
        for name, way in ways.items():
            if name in samples:
                with records.capture(sample=samples[name], overflow="drop"):
                    seconds[name].append(timed(way()))
            else:
                seconds[name].append(timed(way()))
    base = seconds["the function, by map()"]
    for name, times in seconds.items():
        each = statistics.median(times) / len(rows)
        ratio = statistics.median(t / b for t, b in zip(times, base, strict=True))
        print(f"| {kind} | {name} | {each * 1e9:.0f} | {1 / each:,.0f} | {ratio:.1f} |")


def timed(outputs: Iterator[Any]) -> float:
    """Return the processor time that all outputs take."""
    start = time.process_time()
    deque(outputs, maxlen=0)
    return time.process_time() - start


def map_frames(frames: Iterator[Any]) -> Iterator[Any]:
    """Do what the step does, without it."""
    import pandas

    for frame in frames:
        yield pandas.DataFrame([double(row) for row in frame.to_dict("records")])


def compare_jobs(items: int, rounds: int) -> None:
    """Print the elapsed time of jobs of Spark with mapInPandas, in turns."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    step = records.step(double, key="id")
    rows = spark.range(0, items, 1, 4).selectExpr("id", "id AS amount")
    jobs = {
        "a loop over rows in mapInPandas": (map_frames, None),
        "a step, no capture": (step, None),
        "a step, 1 % sampled": (step, 0.01),
    }
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds + 1):
        for name, (function, sample) in jobs.items():
            frame = rows.mapInPandas(function, "id long, amount long")
            start = time.perf_counter()
            if sample is None:
                frame.write.format("noop").mode("overwrite").save()
            else:
                with records.capture(spark, sample=sample):
                    frame.write.format("noop").mode("overwrite").save()
            seconds[name].append(time.perf_counter() - start)
    spark.stop()
    print("| mapInPandas in Spark | ns an item | times the loop |\n|---|---:|---:|")
    base, *_ = (times[1:] for times in seconds.values())  # the first round starts the workers
    for name, times in seconds.items():
        ratio = statistics.median(t / b for t, b in zip(times[1:], base, strict=True))
        print(f"| {name} | {statistics.median(times[1:]) / items * 1e9:.0f} | {ratio:.2f} |")


def store_items(dsn: str | None) -> None:
    """Print time and size of the items of a run of three steps in the database."""
    databases = fresh(dsn)
    conn = next(databases)
    sink = records.GraphSink(dsn_of(conn))
    first, second, third = (records.step(double, key="id", name=name) for name in "abc")
    rows = ({"id": n, "amount": n} for n in range(10_000))
    capture = records.capture(pipeline="orders", sample=1.0, sinks=[sink])
    with capture:
        deque(third(second(first(rows))), maxlen=0)
        start = time.perf_counter()
    seconds = time.perf_counter() - start
    assert capture.sink_results[0].recorded == 10_000, capture.sink_results
    [(whole, table)] = conn.execute(SIZE).fetchall()
    [(nodes,)] = conn.execute(NODES).fetchall()
    print("| items of a run, 3 hops each | |\n|---|---:|")
    print(f"| bytes in the database, with indexes | {whole + nodes:,} |")
    print(f"| bytes an item: table, indexes | {table / 1e4:.0f}, {(whole - table) / 1e4:.0f} |")
    print(f"| end of the capture, with writing them | {seconds:.2f} s |")


if __name__ == "__main__":
    main()
