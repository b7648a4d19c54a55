"""Outcome of an application whose driver failed: never reported as successful."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from openlineage.client.serde import Serde
from support.fixtures.spark import JOBS, SETTINGS
from support.slow import slow
from support.spark import java
from support.spark.java_functions import spark_classpath
from support.spark.recorded import ENVIRONMENT

from lineage.spark.conversion.applications import convert_applications
from lineage.spark.document.spool import find_applications
from lineage.spark.launcher import jar

if TYPE_CHECKING:
    from pathlib import Path

    from support.fixtures.spark import SparkSubmit

NOT_0 = "The driver ended with an exit code other than 0."
TERMINATED = "The driver was terminated by a signal."
DIVISION = "ZeroDivisionError: integer division or modulo by zero"


def ends(spool: Path) -> list[tuple[str, object, str | None]]:
    """Return state, exit code and message of each end of the application, oldest first."""
    told: list[dict[str, Any]] = [
        Serde.to_dict(event)
        for event in convert_applications(
            find_applications(spool), lambda bad: pytest.fail(str(bad))
        )
    ]
    applications = [
        event
        for event in told
        if event["job"]["facets"]["jobType"]["jobType"] == "APPLICATION"
        and event["eventType"] != "START"
    ]
    return [
        (
            event["eventType"],
            event["run"]["facets"]["lineage_application"]["facts"].get("exitCode"),
            event["run"]["facets"].get("errorMessage", {}).get("message"),
        )
        for event in applications
    ]


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ([], ("COMPLETE", 0, None)),
        (["exits 3"], ("FAIL", "unknown", NOT_0)),
        (["configured", "raises"], ("FAIL", "unknown", DIVISION)),
        slow(["exits 0"], ("COMPLETE", 0, None)),
        slow(["raises"], ("FAIL", "unknown", NOT_0)),
        slow(["dies"], ("FAIL", "unknown", NOT_0)),
        slow(["killed"], ("FAIL", "unknown", NOT_0)),
        slow(["terminated"], ("ABORT", "unknown", TERMINATED)),
        slow(["configured"], ("COMPLETE", 0, None)),
        slow(["configured", "exits 3"], ("FAIL", "unknown", NOT_0)),
    ],
    ids=str,
)
def test_the_end_of_a_submitted_driver(
    spark_submit: SparkSubmit, words: list[str], end: tuple[str, object, str | None]
):
    job = spark_submit.start("ending.py", *words)
    job.finish()
    assert (job.directory / "lake" / "_SUCCESS").exists(), job.log[-2000:]
    assert ends(job.spool) == [end]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["stopped", "exits 3"], [("COMPLETE", "unknown", None), ("FAIL", "unknown", NOT_0)]),
        slow(["stopped"], [("COMPLETE", "unknown", None)]),
        slow(
            ["configured", "stopped", "raises"],
            [("COMPLETE", "unknown", None), ("FAIL", "unknown", DIVISION)],
        ),
    ],
    ids=str,
)
def test_a_driver_may_fail_after_it_has_stopped_spark(
    spark_submit: SparkSubmit, words: list[str], found: list[tuple[str, object, str | None]]
):
    job = spark_submit.start("ending.py", *words)
    job.finish()
    assert ends(job.spool) == found
    assert not list(job.spool.glob("*.lock"))


@pytest.mark.parametrize(
    ("words", "end"),
    [
        slow(["exits 3"], ("COMPLETE", "unknown", None)),
        slow(["configured", "raises"], ("FAIL", "unknown", DIVISION)),
    ],
    ids=str,
)
def test_the_end_of_a_driver_that_python_started(
    tmp_path: Path, words: list[str], end: tuple[str, object, str | None]
):
    conf = {**SETTINGS, "spark.lineage.spool": str(tmp_path / "spool")}
    options = [f"--conf {key}={value}" for key, value in conf.items()]
    submit = f"--jars {jar.packaged_jar()} {' '.join(options)} pyspark-shell"
    # The JVM ends after Python, and keeps the pipes open until then.
    subprocess.run(
        [sys.executable, str(JOBS / "ending.py"), str(tmp_path), *words],
        env={
            **os.environ,
            **java.environment(),
            **ENVIRONMENT,
            "PYSPARK_SUBMIT_ARGS": submit,
        },
        capture_output=True,
        check=False,
    )
    assert ends(tmp_path / "spool") == [end]


JAVA = """
import org.apache.spark.sql.SparkSession;

public final class Ending {
  public static void main(String[] args) {
    SparkSession spark = SparkSession.builder().appName("Ending").getOrCreate();
    spark.range(3).write().parquet(args[0] + "/lake");
    if (args.length > 1 && args[1].equals("throws")) {
      throw new IllegalStateException("no more room");
    }
    if (args.length > 1 && args[1].equals("exits")) {
      System.exit(3);
    }
  }
}
"""


@pytest.fixture(scope="module")
def java_job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("java")
    (directory / "Ending.java").write_text(JAVA)
    command = ["javac", "-nowarn", "-proc:none", "-cp", spark_classpath(), "-d", directory]
    subprocess.run([*command, directory / "Ending.java"], check=True)
    with zipfile.ZipFile(directory / "ending.jar", "w") as file:
        file.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nMain-Class: Ending\n")
        file.write(directory / "Ending.class", "Ending.class")
    return directory / "ending.jar"


@pytest.mark.parametrize(
    ("words", "end"),
    [
        slow([], ("COMPLETE", 0, None)),
        (["throws"], ("FAIL", "unknown", "java.lang.IllegalStateException: no more room")),
        slow(["exits"], ("COMPLETE", "unknown", None)),
    ],
    ids=str,
)
def test_the_end_of_a_driver_in_java(
    spark_submit: SparkSubmit,
    java_job: Path,
    words: list[str],
    end: tuple[str, object, str | None],
):
    job = spark_submit.start(str(java_job), *words)
    job.finish()
    assert ends(job.spool) == [end], job.log[-2000:]
    assert ("IllegalStateException: no more room" in job.log) == (words == ["throws"])
