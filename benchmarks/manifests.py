"""Measure what the manifest of a scan costs, beside what Spark does for the same files.

python -m benchmarks.manifests [--rounds N]

The manifest is made on the listener's thread, which writes the document: nothing of it is on the
bus. Its time is the difference between two documents of the same query, of a scan that has selected
its files and of one that has not, in turns.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lineage.records import gateway

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = (1_000, 10_000, 100_000, 200_000)
FILES_A_DIRECTORY = 1_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    warnings.simplefilter("ignore", ResourceWarning)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    spark = builder.config("spark.log.level", "ERROR").getOrCreate()
    columns = ("files", "Spark lists, ms", "Spark selects, ms", "manifest, ms", "most", "µs a file")
    print(f"| {' | '.join(columns)} |\n|{'---:|' * len(columns)}")
    with tempfile.TemporaryDirectory(prefix="lineage-bench-") as directory:
        made = 0
        for number in FILES:
            make_files(Path(directory), made, number)
            made = number
            print_row(spark, directory, number, options.rounds)
    spark.stop()


def make_files(directory: Path, first: int, last: int) -> None:
    for number in range(first, last):
        if number % FILES_A_DIRECTORY == 0:
            (directory / f"day={number // FILES_A_DIRECTORY}").mkdir()
        name = f"part-{number:05}-4f9e1c52-6a0f-4f0b-9d3e-0a4f5b1c7d2e.c000.txt"
        (directory / f"day={number // FILES_A_DIRECTORY}" / name).write_bytes(b"x")


def print_row(spark: Any, directory: str, number: int, rounds: int) -> None:
    writer = document_writer(spark)
    lists, selects, differences = [], [], []
    for turn in range(rounds):
        if turn < 3:
            read = spark.read.schema("value STRING, day INT")
            elapsed, frame = timed(read.text, directory)
            lists.append(elapsed)
        execution = frame.where(f"value <> '{turn}'")._jdf.queryExecution()
        plan = execution.executedPlan()
        without, _ = timed(writer, execution)
        elapsed, _ = timed(find_scan(plan).selectedPartitions)
        selects.append(elapsed)
        documented, _ = timed(writer, execution)
        differences.append(documented - without)
    cost = statistics.median(differences)
    cells = [f"{number:,}", f"{min(lists):,.0f}", f"{statistics.median(selects):,.1f}"]
    cells += [f"{cost:,.1f}", f"{max(differences):,.1f}", f"{cost / number * 1000:.2f}"]
    print(f"| {' | '.join(cells)} |", flush=True)


def timed(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    started = time.perf_counter()
    result = function(*arguments)
    return (time.perf_counter() - started) * 1000, result


def find_scan(plan: Any) -> Any:
    """Return the scan at the first leaf of a physical plan."""
    if plan.nodeName() == "AdaptiveSparkPlan":
        return find_scan(plan.executedPlan())
    children = plan.children()
    return find_scan(children.head()) if children.nonEmpty() else plan


def document_writer(spark: Any) -> Callable[[Any], Any]:
    """Return a function that writes the document of an execution, as the listener does."""
    loader = gateway.records_of(spark).getClass().getClassLoader()
    methods = loader.loadClass("io.lineage.spark.QueryDocument").getMethods()
    method = next(each for each in methods if each.getName() == "of")
    jvm_gateway = spark.sparkContext._gateway

    def write(execution: Any) -> Any:
        arguments = jvm_gateway.new_array(jvm_gateway.jvm.Object, 3)
        arguments[0], arguments[1] = spark._jsparkSession, execution.analyzed()
        arguments[2] = execution.executedPlan()
        return method.invoke(None, arguments)

    return write


if __name__ == "__main__":
    main()
