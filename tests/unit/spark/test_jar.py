"""Selection of the jar for a version of Spark."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from lineage_cli import main

from lineage.errors import JarError
from lineage.spark.launcher import jar

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create the jar directory of an installation, with jars for three versions."""
    with zipfile.ZipFile(tmp_path / "lineage-spark-1.2.0.jar", "w") as jar:
        properties = "version=1.2.0\nfits=3.5_2.12 3.5_2.13 4_2.13\nsources=x\n"
        jar.writestr("io/lineage/spark/build.properties", properties)
    monkeypatch.setattr("lineage.spark.launcher.jar.resources.files", lambda package: tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("spark", "scala"),
    [
        ("3.5", None), ("3.5", "2.12"), ("3.5.6", "2.13.8"), ("4.0.0", None), ("4", "2.13"),
        ("4.3.0", "2.13.18"), ("4.0.0-preview1", "2.13"),
    ],
)  # fmt: skip
def test_the_jar_fits(jars: Path, spark: str, scala: str | None):
    assert jar.jar_path(spark, scala) == jars / "lineage-spark-1.2.0.jar"


@pytest.mark.parametrize(
    ("spark", "scala", "named"),
    [
        ("3.4.1", None, "Spark 3.4.1."),
        ("3.50", None, "Spark 3.50."),
        ("5.0", "3.3", "Spark 5.0 with Scala 3.3."),
        ("4.0", "2.12", "Spark 4.0 with Scala 2.12."),
        ("3.5.1", "2.11", "Spark 3.5.1 with Scala 2.11."),
    ],
)
def test_no_jar_fits(jars: Path, spark: str, scala: str | None, named: str):
    with pytest.raises(JarError) as raised:
        jar.jar_path(spark, scala)
    assert str(raised.value) == (
        f"There is no listener jar for {named} The installed jar supports Spark 3.5 with Scala"
        " 2.12, Spark 3.5 with Scala 2.13, Spark 4 with Scala 2.13."
    )


def test_an_installation_without_a_jar_says_so(jars: Path):
    for file in jars.iterdir():
        file.unlink()
    with pytest.raises(JarError, match=r"no listener jar in this installation.*`make setup`"):
        jar.jar_path("4.0")


def test_spark_home_goes_before_pyspark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.12-3.5.6.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert jar.installed_spark() == ("3.5.6", "2.12")


def test_no_spark_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(JarError, match=r"No Spark found.*lineage jar --spark VERSION"):
        jar.installed_spark()


def test_the_command_prints_the_path(jars: Path):
    result = CliRunner().invoke(main, ["jar", "--spark", "3.5", "--scala", "2.13"])
    assert (result.exit_code, result.stdout) == (0, f"{jars}/lineage-spark-1.2.0.jar\n")


def test_the_command_reports_what_the_jar_serves(jars: Path):
    result = CliRunner().invoke(main, ["jar", "--list"])
    assert result.exit_code == 0
    heading, _, *rows = result.stdout.splitlines()
    assert [line.split() for line in [heading, *rows]] == [
        ["Spark", "Scala", "jar"],
        ["3.5", "2.12", "lineage-spark-1.2.0.jar"],
        ["3.5", "2.13", "lineage-spark-1.2.0.jar"],
        ["4", "2.13", "lineage-spark-1.2.0.jar"],
    ]


def test_the_command_refuses_a_pair_that_there_is_not(jars: Path):
    result = CliRunner().invoke(main, ["jar", "--spark", "4.1", "--scala", "2.12"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert (
        "There is no listener jar for Spark 4.1 with Scala 2.12. The installed jar" in result.stderr
    )
