"""``lineage trace`` by the names of the graph, of datasets that differ only in their store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.spark import java

if TYPE_CHECKING:
    from collections.abc import Callable

    Trace = Callable[..., dict[str, Any]]

LINEAGE = Path(sys.executable).parent / "lineage"
STORES = ("raw", "silver", "gold")
GOLD, SILVER, RAW = (f"viewfs://{store}/lake/orders" for store in reversed(STORES))

# Orders at the same path of three stores: two are above 10; their sums; sums in a local directory.
JOB = """
import sys
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.appName("shop").config("spark.ui.enabled", "false").getOrCreate()
raw = spark.read.parquet("viewfs://raw/lake/orders")
raw.where("v > 10").write.mode("overwrite").parquet("viewfs://silver/lake/orders")
silver = spark.read.parquet("viewfs://silver/lake/orders")
raw_sums = raw.groupBy("k").agg(F.sum("v").alias("raw"))
sums = silver.groupBy("k").agg(F.sum("v").alias("silver")).join(raw_sums, "k")
sums.write.mode("overwrite").parquet("viewfs://gold/lake/orders")
spark.read.parquet(sys.argv[1] + "/raw").write.mode("overwrite").parquet(sys.argv[1] + "/copy")
"""


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of the job and its stores, which no trace changes."""
    return tmp_path_factory.mktemp("names")


@pytest.fixture(scope="module")
def trace(spark: Any, directory: Path) -> Trace:
    """Return a function that runs ``lineage trace`` for a job that has run once."""
    (directory / "job.py").write_text(JOB)
    rows = [(1, "a", 10), (2, "a", 20), (3, "b", 30)]
    frame = spark.createDataFrame(rows, "id INT, k STRING, v INT").coalesce(1)
    for store in STORES:
        (directory / store).mkdir()
    for place in ("raw/orders", "lake/raw"):
        frame.write.parquet(str(directory / place))
    link = "spark.hadoop.fs.viewfs.mounttable"
    links = [f"{link}.{store}.link./lake=file://{directory}/{store}" for store in STORES]
    options = [word for each in links for word in ("--conf", each)]
    job = ["spark-submit", "--master", "local[1]", *options]
    job += [str(directory / "job.py"), str(directory / "lake")]
    environment = {
        **os.environ, **java.environment(), "PYSPARK_PYTHON": sys.executable,
        "LINEAGE_HOME": str(directory / "home"),
    }  # fmt: skip
    environment.pop("LINEAGE_DSN", None)

    def run(program: Path, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(program), *words], env=environment, capture_output=True, text=True, check=False
        )

    done = run(LINEAGE.with_name("spark-submit"), *job[1:])
    assert done.returncode == 0, done.stderr[-3000:]

    def run_trace(*words: str) -> dict[str, Any]:
        done = run(LINEAGE, "trace", *words, "--format", "json", "--", *job)
        assert done.returncode == 0, done.stderr[-3000:]
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    return run_trace


def test_a_table_is_named_as_in_the_graph(trace: Trace, directory: Path) -> None:
    answer = trace(GOLD, "--where", "k = 'a'", "--depth", "2")
    assert answer["targets"] == [SILVER, GOLD, str(directory / "lake/copy")]
    first, second = answer["traces"]
    assert (first["target"], second["target"]) == (GOLD, SILVER)
    assert {each["dataset"]: each["rows"] for each in first["sources"]} == {SILVER: 1, RAW: 2}
    (source,) = second["sources"]
    assert (source["dataset"], [row["id"] for row in source["witnesses"]]) == (RAW, [2])


@pytest.mark.slow  # one more driver, for a name that several writes have
def test_the_write_with_the_named_column_is_traced(trace: Trace) -> None:
    """The first write whose name ends so has no column of this name."""
    (silver,) = trace("silver/lake/orders", "--where", "id = 2")["traces"]
    assert silver["target"] == SILVER


def test_a_source_is_named_as_in_the_graph(trace: Trace, directory: Path) -> None:
    (answer,) = trace(GOLD, "--missing", f"{SILVER}: id = 2")["followed"]
    assert (answer["target"], answer["source"]) == (GOLD, SILVER)
    assert [row["id"] for row in answer["rows"]] == [2]
    table, source = f"file:{directory}/lake/copy", f"file:{directory}/lake/raw"
    (answer,) = trace(table, "--missing", f"{source}: k = 'b'")["followed"]
    assert [row["id"] for row in answer["rows"]] == [3]
