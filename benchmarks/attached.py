"""Measure the overhead of the listener in a running driver, with the listener and without.

python -m benchmarks.attached [--pairs N]

The times of two whole jobs differ by several percent anyway. One driver therefore repeats the work,
and the listener is removed from its buses or added again before each repetition.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import listener

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=60, help="number of pairs of repetitions")
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory(prefix="lineage-bench-") as directory:
        os.environ["LINEAGE_BENCH_LAKE"] = f"{directory}/lake"
        os.environ["PYSPARK_SUBMIT_ARGS"] = listener.submit_arguments(Path(directory))
        print(listener.machine())
        print(measured(Path(directory), pairs))


def measured(directory: Path, pairs: int) -> str:
    spark = listener.session(directory, listener.OURS)
    for _ in range(10):  # warm-up of the JVM
        seconds(spark)
    recorded = listener.count_ends(directory / "spool")
    ratios, without = [], []
    for pair in range(pairs):
        taken = {}
        for attached in (True, False) if pair % 2 else (False, True):
            with nothing() if attached else detached(spark):
                taken[attached] = seconds(spark)
        ratios.append(taken[True] / taken[False])
        without.append(taken[False])
    spark.stop()
    recorded = listener.count_ends(directory / "spool") - recorded
    if recorded != pairs * listener.EXECUTIONS:
        expected = pairs * listener.EXECUTIONS
        raise SystemExit(f"{recorded} executions were recorded; {expected} were expected.")
    low, high = listener.interval(ratios)
    return (
        f"{listener.EXECUTIONS} executions in a running driver, {pairs} pairs in turns:"
        f" {statistics.median(without):.2f} s without the listener; with it"
        f" {statistics.median(ratios):.4f} times that (median of the pairs; 95 % interval of the"
        f" median {low:.4f} to {high:.4f})."
    )


def seconds(spark: SparkSession) -> float:
    start = time.perf_counter()
    listener.work(spark)
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    return time.perf_counter() - start


@contextmanager
def nothing() -> Iterator[None]:
    yield


@contextmanager
def detached(spark: SparkSession) -> Iterator[None]:
    """Remove the listener from the buses of the context and the session during the block."""
    bus = spark.sparkContext._jsc.sc().listenerBus()
    manager = spark._jsparkSession.listenerManager()
    own = [each for each in listeners(bus) if each.getClass().getName() == listener.OURS]
    queries = [
        each
        for each in manager.listListeners()
        if each.getClass().getName().startswith("io.lineage.")
    ]
    assert own
    assert queries
    for each in own:
        bus.removeListener(each)
    for each in queries:
        manager.unregister(each)
    try:
        yield
    finally:
        for each in own:
            bus.addToSharedQueue(each)
        for each in queries:
            manager.register(each)


def listeners(bus: Any) -> list[Any]:
    found = bus.listeners()
    return [found.get(n) for n in range(found.size())]


if __name__ == "__main__":
    main()
