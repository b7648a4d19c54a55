"""Measure a whole job without a listener, with the listener, and with openlineage-spark.

python -m benchmarks.openlineage [--rounds N]

Spark downloads the jar of openlineage-spark from Maven Central.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import listener
from lineage.spark.launcher import jar

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGE = "io.openlineage:openlineage-spark_2.13:1.53.0"
LISTENERS = {
    "none": None,
    "ours": listener.OURS,
    "openlineage-spark": "io.openlineage.spark.agent.OpenLineageSparkListener",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="runs of the job with each listener")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="lineage-bench-") as directory:
        os.environ["LINEAGE_BENCH_LAKE"] = f"{directory}/lake"
        os.environ["PYSPARK_SUBMIT_ARGS"] = submit_arguments(Path(directory))
        print(listener.machine())
        print(table(measured(Path(directory), rounds)))


def submit_arguments(directory: Path) -> str:
    """Return the arguments of every job, with both jars, so that only the listener differs."""
    settings = {
        "spark.jars.packages": PACKAGE,
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(directory / "theirs.jsonl"),
        "spark.driver.memory": "2g",
    }
    given = " ".join(f"--conf {key}={value}" for key, value in settings.items())
    return f"--jars {jar.jar_path(*jar.installed_spark())} {given} pyspark-shell"


def measured(directory: Path, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of the job with each listener by round, each round in random order."""
    draw = random.Random(0)
    for name in (*LISTENERS, *LISTENERS):  # warm-up of the JVM
        seconds_with(directory, name)
    seconds: dict[str, list[float]] = {name: [] for name in LISTENERS}
    for _ in range(rounds):
        for name in draw.sample(list(LISTENERS), len(LISTENERS)):
            seconds[name].append(seconds_with(directory, name))
    return seconds


def seconds_with(directory: Path, name: str) -> float:
    """Run the job once, and check that only the given listener recorded it; return the seconds."""
    before = recorded(directory)
    seconds = listener.job(directory, LISTENERS[name])
    grown = {of for of, size in recorded(directory).items() if size > before[of]}
    if grown != {name} - {"none"}:
        sys.exit(f"The job with the listener {name!r} was recorded by {grown or 'none'}.")
    return seconds


def recorded(directory: Path) -> dict[str, int]:
    """Return the number of bytes that each listener has written."""
    spool, theirs = directory / "spool", directory / "theirs.jsonl"
    return {
        "ours": sum(file.stat().st_size for file in spool.glob("*.jsonl")),
        "openlineage-spark": theirs.stat().st_size if theirs.exists() else 0,
    }


def table(seconds: Mapping[str, list[float]]) -> str:
    """Return the table of times, also relative to the same round without a listener."""
    rows = ["| listener | s, median | times none, median | 95 % interval |", "|---|---:|---:|---:|"]
    for name, values in seconds.items():
        ratios = [of / none for of, none in zip(values, seconds["none"], strict=True)]
        low, high = listener.interval(ratios)
        relative = f"{statistics.median(ratios):.3f} | {low:.3f} to {high:.3f}"
        cells = relative if name != "none" else "1 | "
        rows.append(f"| {name} | {statistics.median(values):.2f} | {cells} |")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
