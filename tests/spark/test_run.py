"""``lineage run``: the result of the command is unchanged, and its lineage is not lost."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.spark import java

import lineage

LINEAGE = Path(sys.executable).parent / "lineage"
JOB = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.appName("nightly").config("spark.ui.enabled", "false").getOrCreate()
spark.range(3).write.parquet("{lake}/numbers")
spark.read.parquet("{lake}/numbers").where("id > 0").write.parquet("{lake}/positive")
spark.stop()
print("my own output")
sys.exit(3)
"""
FAILING = """
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf
def share(total):
    return 1 // total
spark = SparkSession.builder.appName("shares").config("spark.ui.enabled", "false").getOrCreate()
spark.range(3).select(udf(share)("id").alias("s")).write.parquet("{lake}/shares")
"""

DEEP = """
from pyspark.sql import SparkSession
from pyspark.sql.functions import lit, udf
def even(total):
    return odd(total - 1) if total > 0 else 1 // 0
def odd(total):
    return even(total - 1) if total > 0 else 1 // 0
spark = SparkSession.builder.appName("deep").config("spark.ui.enabled", "false").getOrCreate()
spark.range(3).select(udf(even)(lit(150)).alias("s")).write.parquet("{lake}/deep")
"""


def run(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(LINEAGE), *map(str, words)],
        env={**os.environ, **java.environment(), **environment},
        capture_output=True,
        text=True,
    )


def test_what_a_database_that_is_down_missed_is_brought_in_later(tmp_path: Path, dsn: str):
    job = tmp_path / "job.py"
    job.write_text(JOB.format(lake=tmp_path))
    # `lineage run` ignores the collector of the environment.
    spool = {"LINEAGE_SPOOL": str(tmp_path / "spool"), "LINEAGE_URL": "http://127.0.0.1:1"}
    down = {"LINEAGE_DSN": "postgresql://nobody@127.0.0.1:1/none", **spool}
    # The script stops Spark and then fails: Spark itself reports success.
    ended = run("run", "--namespace", "finance", "--", sys.executable, job, **down)
    assert ended.returncode == 3
    assert ended.stdout == "my own output\n"
    assert "Cannot connect to the database of LINEAGE_DSN" in ended.stderr
    hint = re.search(
        r"The plan documents remain in the spool. Run: (lineage ingest .*)", ended.stderr
    )
    assert hint, ended.stderr

    taken_in = run(*shlex.split(hint[1])[1:], LINEAGE_DSN=dsn)
    assert taken_in.returncode == 0, taken_in.stderr
    with lineage.connect(dsn) as graph:
        [source] = graph.upstream("positive").datasets
        assert source.full_name == f"file:{tmp_path}/numbers"
        [application] = graph.job_runs("finance/nightly")
        assert (application.state, application.error) == ("FAIL", "Exit code 3")
        # The execution in Spark was successful, and its write is in the graph.
        assert [access.run.state for access in graph.dataset_runs("positive")] == ["COMPLETE"]


def test_a_failure_in_python_is_reported_by_its_exception_and_its_place(tmp_path: Path, dsn: str):
    job = tmp_path / "shares.py"
    job.write_text(FAILING.format(lake=tmp_path))
    environment = {"LINEAGE_SPOOL": str(tmp_path / "spool"), "LINEAGE_DSN": dsn}
    ended = run("run", "--", sys.executable, job, PYSPARK_PYTHON=sys.executable, **environment)
    assert ended.returncode == 1
    told = "  ZeroDivisionError: integer division or modulo by zero (shares.py:5, in share)"
    assert told in ended.stderr
    assert "Exit code 1; the last execution failed with ZeroDivisionError" in ended.stderr


@pytest.mark.slow
def test_a_long_traceback_keeps_the_line_that_says_what_went_wrong(tmp_path: Path, dsn: str):
    job = tmp_path / "deep.py"
    job.write_text(DEEP.format(lake=tmp_path))
    environment = {"LINEAGE_SPOOL": str(tmp_path / "spool"), "LINEAGE_DSN": dsn}
    ended = run("run", "--", sys.executable, job, PYSPARK_PYTHON=sys.executable, **environment)
    assert ended.returncode == 1
    failure = "  ZeroDivisionError: integer division or modulo by zero (deep.py:5, in even)"
    assert failure in ended.stderr


def test_a_command_that_is_not_there_is_reported(tmp_path: Path):
    ended = run("run", "--", "no-such-program", LINEAGE_SPOOL=str(tmp_path / "spool"))
    assert ended.returncode == 2
    assert "no-such-program cannot be started" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143)])
def test_the_exit_code_is_that_of_the_command(tmp_path: Path, script: str, code: int):
    ended = run("run", "--", "sh", "-c", script, LINEAGE_SPOOL=str(tmp_path / "spool"))
    assert ended.returncode == code
    assert "started no Spark application" in ended.stderr
    assert "Code that sets spark.extraListeners replaces the listener" in ended.stderr


def test_a_spool_that_cannot_be_created_does_not_stop_the_command(tmp_path: Path):
    (tmp_path / "file").touch()
    ended = run("run", "--spool", tmp_path / "file" / "spool", "--", "echo", "done")
    assert (ended.returncode, ended.stdout) == (0, "done\n")
    assert f"The spool {tmp_path}/file/spool" in ended.stderr
    assert "Choose another directory with --spool or LINEAGE_SPOOL." in ended.stderr
    assert "The command runs without the listener." in ended.stderr


def test_a_spark_without_a_jar_does_not_keep_the_command_from_running(tmp_path: Path):
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.12-3.1.0.jar").touch()
    ended = run("run", "--", "echo", "done", SPARK_HOME=str(tmp_path))
    assert (ended.returncode, ended.stdout) == (0, "done\n")
    assert "There is no listener jar for Spark 3.1.0 with Scala 2.12." in ended.stderr


def test_a_spool_that_the_command_names_loses_no_lineage(tmp_path: Path, dsn: str):
    job = tmp_path / "job.py"
    job.write_text(JOB.format(lake=tmp_path))
    theirs = tmp_path / "theirs"
    ended = run(
        *("run", "--spool", tmp_path / "ours", "--", sys.executable, job),
        LINEAGE_DSN=dsn,
        PYSPARK_SUBMIT_ARGS=f"--conf spark.lineage.spool={theirs} pyspark-shell",
    )
    assert "spark.lineage.spool of the command has no effect" in ended.stderr
    assert not theirs.exists()
    with lineage.connect(dsn) as graph:
        [source] = graph.upstream(f"{tmp_path}/positive").datasets
    assert source.name == f"{tmp_path}/numbers"
