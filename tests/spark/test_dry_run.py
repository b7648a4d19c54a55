"""``lineage trace``: the answer of an unmodified job, whose writes do not happen."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.events.builders import dataset, run_event
from support.slow import slow
from support.spark import java

import lineage.records as records
from lineage.ingest.writer import write_events
from lineage.query.session import Session
from lineage.records.input_changes import NO_MANIFEST

if TYPE_CHECKING:
    from collections.abc import Callable

    Trace = Callable[..., subprocess.CompletedProcess[str]]

LINEAGE = Path(sys.executable).parent / "lineage"

# Three orders above 1, of two customers; their sums; then a step that the words choose.
JOB = """
import sys
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.appName("shop").config("spark.ui.enabled", "false").getOrCreate()
lake, *words = sys.argv[1:]
raw = spark.read.csv(lake + "/raw", header=True, schema="id INT, customer INT, total INT")
raw.where("total > 1").write.mode("overwrite").parquet(lake + "/silver/orders")
orders = spark.read.parquet(lake + "/silver/orders")
spent = orders.groupBy("customer").agg(F.sum("total").alias("spent"))
spent.write.mode("overwrite").parquet(lake + "/gold/spent")
print("rows of gold:", spent.count())
if "decimal" in words:
    exact = spent.selectExpr("customer", "spent * 2500000000000000.01BD AS total")
    exact.write.mode("overwrite").parquet(lake + "/gold/exact")
if "directories" in words:
    spent.createOrReplaceTempView("spent")
    inserts = [
        f"INSERT OVERWRITE DIRECTORY '{lake}/gold/of {customer}' USING parquet"
        f" SELECT * WHERE customer = {customer}"
        for customer in (1, 2)
    ]
    spark.sql("FROM spent " + " ".join(inserts))
    spent.write.mode("overwrite").parquet(lake + "/gold/later")
if "rdd" in words:
    spark.sparkContext.parallelize([1]).saveAsTextFile(lake + "/rdd")
if "delete" in words:
    hadoop = spark.sparkContext._jvm.org.apache.hadoop.fs
    path = hadoop.Path(lake + "/gold")
    path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()).delete(path, True)
if "stream" in words:
    spark.readStream.format("rate").load().writeStream.format("parquet").start(lake + "/stream")
"""


def run(*words: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **java.environment(), "PYSPARK_PYTHON": sys.executable}
    return subprocess.run(
        list(map(str, words)), env=environment, capture_output=True, text=True, check=False
    )


def bytes_of(directory: Path) -> dict[str, tuple[str, int]]:
    """Return the digest and the time of each file."""
    return {
        str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(autouse=True)
def no_private_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make answers independent of manifests in the database of a private server."""
    monkeypatch.setenv("LINEAGE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LINEAGE_DSN", raising=False)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the job and its lake, in which the job has run once."""
    directory = tmp_path_factory.mktemp("shop")
    (directory / "lake" / "raw").mkdir(parents=True)
    rows = "id,customer,total\n1,1,5\n2,1,7\n3,2,0\n4,2,9\n"
    (directory / "lake" / "raw" / "orders.csv").write_text(rows)
    (directory / "job.py").write_text(JOB)
    done = run(sys.executable, directory / "job.py", directory / "lake")
    assert done.returncode == 0, done.stderr[-3000:]
    return directory


@pytest.fixture
def trace(shop: Path) -> Trace:
    """Return a function that runs ``lineage trace``, and fails if it changes the lake."""

    def run_trace(*words: str, job: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        before = bytes_of(shop / "lake")
        command = ["spark-submit", "--master", "local[1]", shop / "job.py", shop / "lake", *job]
        done = run(LINEAGE, "trace", *words, "--", *command)
        assert bytes_of(shop / "lake") == before
        return done

    return run_trace


def test_a_row_is_traced_through_both_writes_of_the_job(shop: Path, trace: Trace) -> None:
    done = trace("gold/spent", "--where", "customer = 1", "--depth", "2", "--format", "json")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "rows of gold: 2" in done.stderr  # the job's own output
    answer = json.loads(done.stdout)
    gold, silver = answer["traces"]
    assert gold["values"] == [{"customer": 1, "spent": 12}]
    assert (gold["fidelity"], gold["reasons"], gold["reproduced"]) == (
        "exact", ["reproduced", NO_MANIFEST], True,
    )  # fmt: skip
    (source,) = gold["sources"]
    assert (source["dataset"], source["rows"]) == (str(shop / "lake/silver/orders"), 2)
    assert [row["id"] for row in source["witnesses"]] == [1, 2]
    assert [row["_row_index"] for row in source["witnesses"]] == [0, 1]
    assert silver["depth"] == 2
    assert [row["id"] for row in silver["sources"][0]["witnesses"]] == [1, 2]


@pytest.mark.slow  # test_saved_traces.py saves decimals with all digits
def test_decimals_have_all_digits(shop: Path, trace: Trace) -> None:
    question = ("gold/exact", "--where", "customer = 1", "--format", "json")
    done = trace(*question, job=("decimal",))
    assert done.returncode == 0, done.stderr[-3000:]
    [answer] = json.loads(done.stdout)["traces"]
    assert answer["values"] == [{"customer": 1, "total": "30000000000000000.12"}]


@pytest.mark.parametrize("target", [slow("gold/of 1"), slow("gold/of 2"), "gold/later"])
def test_several_inserts_into_directories_are_not_executed(
    shop: Path, trace: Trace, target: str
) -> None:
    done = trace(target, "--where", "spent > 0", "--format", "json", job=("directories",))
    assert done.returncode == 0, done.stderr[-3000:]
    answer = json.loads(done.stdout)
    names = ("silver/orders", "gold/spent", "gold/of 1", "gold/of 2", "gold/later")
    assert answer["targets"] == [str(shop / "lake" / name) for name in names]
    [answered] = answer["traces"]
    spent = {row["customer"]: row["spent"] for row in answered["values"]}
    assert spent == {"gold/of 1": {1: 12}, "gold/of 2": {2: 9}, "gold/later": {1: 12, 2: 9}}[target]


@pytest.mark.slow  # test_saved_traces.py saves traces of frames
def test_the_answer_is_saved(shop: Path, trace: Trace, dsn: str) -> None:
    names = (str(shop / "lake" / name) for name in ("silver/orders", "gold/spent"))
    silver, gold = (dataset(name, namespace="file") for name in names)
    with Session(dsn) as session:
        write_events(
            session.connection, [run_event("r1", "COMPLETE", 1, "sum", (silver,), (gold,))]
        )
        done = trace(
            "gold/spent", "--where", "customer = 1", "--depth", "2", "--save", "--dsn", dsn
        )
        assert done.returncode == 0, done.stderr[-3000:]
        [found] = records.saved_traces(session, "gold/spent").traces
    assert f"The trace is saved as {found.trace_id}." in done.stderr
    assert (found.way, found.columns, found.condition) == ("dry run", ("customer",), None)
    assert (found.fidelity, found.rows, found.reproduced) == ("exact", 1, True)
    assert [(count.hop, count.source, count.rows, count.saved) for count in found.counts] == [
        (1, f"file:{shop}/lake/silver/orders", 2, 2),
        (2, f"{shop}/lake/raw", 2, 2),
    ]


@pytest.mark.slow  # test_demo.py and test_dry_run_names.py have missing rows
def test_a_row_that_is_missing_ends_at_a_filter(shop: Path, trace: Trace) -> None:
    done = trace("silver/orders", "--missing", "raw: id IN (3, 4)")
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [line.strip() for line in done.stdout.splitlines()]
    row = lines.index("id=3 customer=2 total=0")
    assert lines[row + 1] == "ends at Filter: (total > 1)"
    row = lines.index("id=4 customer=2 total=9")
    assert lines[row + 1] == f"is part of {shop / 'lake/silver/orders'}"


@pytest.mark.slow
def test_no_row_is_a_negative_answer(trace: Trace) -> None:
    done = trace("gold/spent", "--where", "customer = 3")
    assert done.returncode == 1
    assert "gold/spent: 0 rows, exact" in done.stdout


@pytest.mark.parametrize("word", ["rdd", pytest.param("delete", marks=pytest.mark.slow)])
def test_file_systems_refuse_what_is_no_command(word: str, trace: Trace) -> None:
    done = trace("gold/spent", "--where", "customer = 1", job=(word,))
    assert "It refused to change" in done.stderr
    assert "customer=1 spent=12" in done.stdout
    assert "The job stopped after the write" in done.stderr


@pytest.mark.slow
def test_a_stream_stops_the_job(trace: Trace) -> None:
    done = trace("gold/spent", "--where", "customer = 1", job=("stream",))
    assert "customer=1 spent=12" in done.stdout
    assert "The job stopped after the write. Lineage: this is a dry run" in done.stderr
    assert "It cannot run a streaming query, which was not executed." in done.stderr


@pytest.mark.slow
def test_errors_name_the_cause(trace: Trace) -> None:
    done = trace("gold/other", "--where", "customer = 1")
    assert done.returncode == 1
    assert "The job does not write gold/other. It would have written " in done.stderr
    done = trace("gold/spent", "--where", "custom = 1")
    assert done.returncode == 2
    assert "Error: " in done.stderr
    assert "custom" in done.stderr.rsplit("Error: ", 1)[1]


def test_a_trace_has_one_condition(tmp_path: Path) -> None:
    done = run(LINEAGE, "trace", "gold/spent", "--", "true")
    assert done.returncode == 2
    assert "Specify --where or --missing, not both." in done.stderr
    done = run(LINEAGE, "trace", "gold/spent", "--missing", "raw", "--", "true")
    assert '--missing raw has no source or no condition. Use --missing "SOURCE: ' in done.stderr


def test_a_command_without_spark_is_an_error() -> None:
    done = run(LINEAGE, "trace", "gold/spent", "--where", "a = 1", "--", "true")
    assert done.returncode == 2
    assert "The command true did not start Spark in the dry run" in done.stderr
