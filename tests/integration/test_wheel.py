"""The wheel carries all it needs: installed alone, it does the main job."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
JOB = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.appName("wheel").getOrCreate()
spark.range(3).write.parquet("{lake}/numbers")
spark.read.parquet("{lake}/numbers").where("id > 0").write.parquet("{lake}/positive")
spark.stop()
"""


def run(*command: object, **environment: str) -> str:
    """Run a command and return its stdout; what it said goes into the report when it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the sources, so that nothing is left in them."""
    place = tmp_path_factory.mktemp("wheel")
    ignored = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "lake", "tests", "docs")
    shutil.copytree(ROOT, place / "source", ignore=ignored)
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", place, place / "source")
    [built] = place.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and Spark alone."""
    place = tmp_path_factory.mktemp("installed") / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", place)
    uv = Path(sys.executable).parent / "uv"
    install = [uv, "pip", "install", "--quiet", "--python", place / "bin/python", f"{wheel}[spark]"]
    # pyspark is a source archive of 450 MB. The cache of `make setup` has it built already, which
    # counts where the index is not asked whether the archive is still the same.
    if subprocess.run([*install, "--offline"], capture_output=True).returncode:
        run(*install)
    return place


def test_the_wheel_holds_the_jar_the_migrations_and_the_queries(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    for folder, ending in (("jars", ".jar"), ("migrations", ".sql"), ("cypher", ".cypher")):
        assert any(n.startswith(f"lineage/{folder}/") and n.endswith(ending) for n in names), folder


def test_the_wheel_holds_one_jar_that_serves_every_spark(environment: Path):
    listed = run(environment / "bin/lineage", "jar", "--list").splitlines()
    pairs = [tuple(line.split()[:2]) for line in listed[2:]]
    assert pairs == [("3.5", "2.12"), ("3.5", "2.13"), ("4", "2.13")]


def test_the_wheel_alone_does_the_main_job(environment: Path, dsn: str, tmp_path: Path):
    job = tmp_path / "job.py"
    job.write_text(JOB.format(lake=tmp_path))
    lineage = environment / "bin/lineage"
    settings = {
        "LINEAGE_DSN": dsn,
        "LINEAGE_SPOOL": str(tmp_path / "spool"),
        "PATH": f"{environment / 'bin'}:{os.environ['PATH']}",
    }
    run(lineage, "run", "--", "spark-submit", "--conf", "spark.ui.enabled=false", job, **settings)
    answer = run(lineage, "query", "positive", "--upstream", "--format", "tree", **settings)
    assert f"{tmp_path}/numbers" in answer
