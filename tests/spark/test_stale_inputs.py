"""``lineage trace`` of a job whose sources have changed since a run that was recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from support.spark import java
from support.spark.recorded import told

import lineage.records as records
from lineage.ingest.writer import write_events
from lineage.query.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.fixtures.spark import SparkSubmit

    Trace = Callable[..., subprocess.CompletedProcess[str]]

LINEAGE = Path(sys.executable).parent / "lineage"


@pytest.fixture(scope="module")
def shop(spark_submit: SparkSubmit, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a job that has run once with the listener."""
    job = spark_submit.start("shop.py")
    assert job.finish() == 0, job.log[-3000:]
    (job.directory / "events.json").write_text(json.dumps(told(job.spool)))
    return job.directory


@pytest.fixture
def trace(shop: Path, dsn: str) -> Trace:
    """Return a function that traces the customer 1 of a table in the graph of the run."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, map(json.dumps, json.loads((shop / "events.json").read_text())))

    def run_trace(table: str, *words: str) -> subprocess.CompletedProcess[str]:
        job = Path(__file__).parent / "jobs" / "shop.py"
        where = ["--where", "customer = 1", "--format", "json", "--dsn", dsn]
        command = ["spark-submit", "--master", "local[1]", job, shop]
        return subprocess.run(
            list(map(str, [LINEAGE, "trace", table, *where, *words, "--", *command])),
            env={**os.environ, **java.environment(), "PYSPARK_PYTHON": sys.executable},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run_trace


def spent(done: subprocess.CompletedProcess[str]) -> list[tuple[Any, ...]]:
    """Return the values of each answer, its fidelity and its reasons but those of formats.

    All rows come again from the named rows alone.
    """
    assert done.returncode == 0, done.stderr[-3000:]
    assert all(answer["reasons"][0] == "reproduced" for answer in json.loads(done.stdout)["traces"])
    return [
        (
            [row.get("spent") for row in answer["values"]],
            answer["fidelity"],
            [each for each in answer["reasons"][1:] if not each.startswith("content-hash")],
        )
        for answer in json.loads(done.stdout)["traces"]
    ]


def test_the_sources_are_compared_with_those_of_the_run(shop: Path, trace: Trace, dsn: str) -> None:
    with Session(dsn) as session:
        [run] = records.input_manifests(session, f"{shop}/gold")
    assert [each.dataset for each in run.inputs] == [
        f"file:{shop}/names", f"file:{shop}/orders",
    ]  # fmt: skip
    assert all(each.is_known for each in run.inputs)
    [orders] = run.inputs[1].scans
    assert orders.files == 2, "two of the three partitions were read"
    assert spent(trace("gold", "--depth", "2")) == [
        ([12], "exact", []),
        ([None, None], "exact", []),
    ]

    (shop / "names" / "late.csv").write_text("1,Eve\n")
    assert spent(trace("gold")) == [([12], "exact", ["as of the run:without 1 newer file"])]

    [part] = (shop / "names").glob("part-*.csv")
    part.write_text("1,Adam\n2,Bo\n")
    refused = trace("gold")
    assert (refused.returncode, refused.stdout) == (3, "")
    assert f"The inputs of gold have changed since run {run.run_id} wrote it." in refused.stderr
    assert f"file:{shop}/names has 2 instead of 1 files" in refused.stderr
    assert "--force" in refused.stderr, "although the file cannot be read with its old checksum"
    (part.parent / f".{part.name}.crc").unlink()
    [(values, fidelity, [reason])] = spent(trace("gold", "--force"))
    assert (values, fidelity) == ([12, 12], "stale")
    assert reason.startswith(f"changed:file:{shop}/names has 2 instead of 1 files")
