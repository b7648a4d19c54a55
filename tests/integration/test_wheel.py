"""The wheel, installed alone: it contains everything for the main task."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from support.source import statement_files
from support.source.wheel import ROOT, check_out, run

from lineage.http.web.routes import STATIC

JOB = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.appName("wheel").getOrCreate()
spark.range(3).write.parquet("{lake}/numbers")
spark.read.parquet("{lake}/numbers").where("id > 0").write.parquet("{lake}/positive")
spark.stop()
"""


def build_wheel(source: Path, place: Path) -> Path:
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", place, source)
    [built] = place.glob("*.whl")
    return built


# Building and installing it takes a minute.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of a clean checkout."""
    place = tmp_path_factory.mktemp("wheel")
    return build_wheel(check_out(place / "source"), place)


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create an environment with only the wheel and Spark."""
    place = tmp_path_factory.mktemp("installed") / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", place)
    uv = Path(sys.executable).parent / "uv"
    install = [uv, "pip", "install", "--quiet", "--python", place / "bin/python", f"{wheel}[spark]"]
    # pyspark is a source archive of 450 MB. The cache of `make setup` contains its wheel, which is
    # used only if the index is not asked for changes of the archive.
    if subprocess.run([*install, "--offline"], capture_output=True).returncode:
        run(*install)
    return place


def test_the_wheel_holds_the_jar_the_migrations_and_the_queries(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    for folder, ending in (
        ("jars", ".jar"),
        ("migrations", ".sql"),
        ("migrations/functions", ".sql"),
        ("cypher", ".cypher"),
    ):
        assert any(n.startswith(f"lineage/{folder}/") and n.endswith(ending) for n in names), folder


def test_the_wheel_holds_the_extension_that_metaflow_finds(wheel: Path):
    """Metaflow reads the top-level packages. A module ``__init__`` would hide other extensions."""
    with zipfile.ZipFile(wheel) as file:
        names = [name for name in file.namelist() if name.startswith("metaflow_extensions/")]
        [top] = [name for name in file.namelist() if name.endswith("/top_level.txt")]
        packages = file.read(top).decode().split()
    assert names == ["metaflow_extensions/lineage/plugins/mfextinit_lineage.py"]
    assert sorted(packages) == ["lineage", "lineage_cli", "metaflow_extensions"]


@pytest.mark.skipif(not STATIC.exists(), reason="The web page is not built: `make setup` says why.")
def test_the_wheel_holds_the_web_page_that_this_checkout_built(wheel: Path):
    with zipfile.ZipFile(wheel) as file:
        packed = {
            Path(name).name: file.read(name) for name in file.namelist() if "/static/" in name
        }
    assert packed == {file.name: file.read_bytes() for file in STATIC.iterdir()}
    assert "index.html" in packed


def test_the_wheel_holds_the_statements_of_each_module(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    assert {f"lineage/{name}" for name in statement_files.NAMES} <= {*names}


def test_one_wheel_is_for_every_system(wheel: Path):
    assert re.fullmatch(r"lineage_age-[\d.]+-py3-none-any\.whl", wheel.name)


def test_another_checkout_gives_the_same_bytes(wheel: Path, tmp_path: Path):
    source = check_out(tmp_path / "elsewhere" / "source")
    # compiled by `make setup`
    [jar] = (ROOT / "lineage/jars").glob("*.jar")
    shutil.copyfile(jar, source / "lineage/jars" / jar.name)
    for path in source.rglob("*"):
        # a checkout with another umask at another time
        path.chmod(0o770 if path.is_dir() else 0o660)
        os.utime(path, (1_600_000_000, 1_600_000_000))
    left_over = source / "build/lib/lineage/of_an_older_build.py"
    left_over.parent.mkdir(parents=True)
    left_over.touch()
    assert build_wheel(source, tmp_path / "dist").read_bytes() == wheel.read_bytes()


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
