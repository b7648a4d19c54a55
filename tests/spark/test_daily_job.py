"""Rows of a table to which each run of a job appends those of its own file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from support.spark import java
from support.spark.recorded import told

import lineage.records as records
from lineage.ingest.writer import write_events
from lineage.query.session import Session

if TYPE_CHECKING:
    from support.fixtures.spark import SparkSubmit

LINEAGE = Path(sys.executable).parent / "lineage"


# test_candidates.py and test_dry_run.py trace rows, and test_input_changes.py names the run.
@pytest.mark.slow
def test_a_row_of_an_earlier_run_is_traced(
    spark_submit: SparkSubmit, tmp_path: Path, dsn: str
) -> None:
    (tmp_path / "landing").mkdir()
    for day, row in (("monday", "2,5\n"), ("tuesday", "8,7\n")):
        (tmp_path / "landing" / f"{day}.csv").write_text(row)
        job = spark_submit.start("daily.py", str(tmp_path), day)
        assert job.finish() == 0, job.log[-3000:]
        with psycopg.connect(dsn, autocommit=True) as conn:
            write_events(conn, map(json.dumps, told(job.spool)))
    with Session(dsn) as session:
        sources = records.candidates(session, f"{tmp_path}/silver", "id = 2").sources
    assert {Path(each.dataset).stem: (each.count, each.fidelity) for each in sources} == {
        "monday": (1, "superset"),
        "tuesday": (0, "superset"),
    }
    script = Path(__file__).parent / "jobs" / "daily.py"
    question = ["--where", "id = 2", "--format", "json", "--dsn", dsn]
    command = ["spark-submit", "--master", "local[1]", script, "-", tmp_path, "monday"]
    done = subprocess.run(
        list(map(str, [LINEAGE, "trace", f"{tmp_path}/silver", *question, "--", *command])),
        env={**os.environ, **java.environment(), "PYSPARK_PYTHON": sys.executable},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    [answer] = json.loads(done.stdout)["traces"]
    assert (answer["values"], answer["fidelity"]) == ([{"id": 2, "total": 5}], "exact")
    [reason] = [each for each in answer["reasons"] if each.startswith("as of the run:")]
    assert reason.endswith(", not the last of 2 runs")
