"""Which jar fits which Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from lineage_cli import main

from lineage.errors import JarError
from lineage.spark import jar

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [
    "lineage-spark_3.5_2.12-1.2.0.jar",
    "lineage-spark_3.5_2.13-1.2.0.jar",
    "lineage-spark_4_2.13-1.2.0.jar",
]


@pytest.fixture
def jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in NAMES:
        (tmp_path / name).touch()
    monkeypatch.setattr("lineage.spark.jar.resources.files", lambda package: tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("spark", "scala", "name"),
    [
        ("3.5", None, "lineage-spark_3.5_2.12-1.2.0.jar"),
        ("3.5.6", "2.13", "lineage-spark_3.5_2.13-1.2.0.jar"),
        ("4.0.0", None, "lineage-spark_4_2.13-1.2.0.jar"),
        ("4.3.0", "2.13.18", "lineage-spark_4_2.13-1.2.0.jar"),
    ],
)
def test_the_jar_fits(jars: Path, spark: str, scala: str | None, name: str):
    assert jar.path(spark, scala) == jars / name


@pytest.mark.parametrize(("spark", "scala"), [("3.4.1", None), ("5.0", None), ("4.0", "2.12")])
def test_no_jar_fits(jars: Path, spark: str, scala: str | None):
    with pytest.raises(
        JarError, match=rf"no listener jar for Spark {spark} with Scala 2\."
    ) as raised:
        jar.path(spark, scala)
    assert "3.5 (2.12), 3.5 (2.13), 4 (2.13)" in str(raised.value)


def test_an_installation_without_jars_says_so(jars: Path):
    for file in jars.iterdir():
        file.unlink()
    with pytest.raises(JarError, match="none at all; in a checkout `make setup` builds one"):
        jar.path("4.0")


def test_spark_home_goes_before_pyspark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.12-3.5.6.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert jar.installed() == ("3.5.6", "2.12")


def test_no_spark_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(
        JarError, match=r"No Spark is installed here.*Name the version with --spark"
    ):
        jar.installed()


def test_the_command_prints_the_path(jars: Path):
    result = CliRunner().invoke(main, ["jar", "--spark", "3.5"])
    assert (result.exit_code, result.stdout) == (0, f"{jars / NAMES[0]}\n")


def test_the_command_says_what_there_is(jars: Path):
    result = CliRunner().invoke(main, ["jar", "--spark", "2.4"])
    assert result.exit_code == 2
    assert "There is no listener jar for Spark 2.4 with Scala 2.13. There are jars" in result.stderr
