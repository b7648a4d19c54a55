"""What the listener adds to a running job: the same work in one driver, with it and without.

python -m benchmarks.attached [--pairs N]

Two whole jobs differ by several percent, however they are run. So one driver does the work again
and again, and before each time the listener is taken off its buses or put back.
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
    parser.add_argument("--pairs", type=int, default=60, help="times of the work with and without")
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory(prefix="lineage-bench-") as directory:
        os.environ["LINEAGE_BENCH_LAKE"] = f"{directory}/lake"
        os.environ["PYSPARK_SUBMIT_ARGS"] = listener.submit_arguments(Path(directory))
        print(listener.machine())
        print(measured(Path(directory), pairs))


def measured(directory: Path, pairs: int) -> str:
    spark = listener.session(directory, listener.OURS)
    for _ in range(10):  # the JVM is warm by then
        seconds(spark)
    told = listener.ends_told(directory / "spool")
    ratios, without = [], []
    for pair in range(pairs):
        taken = {}
        for attached in (True, False) if pair % 2 else (False, True):
            with nothing() if attached else detached(spark):
                taken[attached] = seconds(spark)
        ratios.append(taken[True] / taken[False])
        without.append(taken[False])
    spark.stop()
    told = listener.ends_told(directory / "spool") - told
    if told != pairs * listener.EXECUTIONS:
        raise SystemExit(f"{told} executions were told, {pairs * listener.EXECUTIONS} were to be.")
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
    """Take the listener off the bus of the context and off that of the session, for a while."""
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
