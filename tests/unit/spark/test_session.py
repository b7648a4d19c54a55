"""``lineage.spark.configure``: adds the listener to a builder and keeps its settings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lineage.errors import JarError
from lineage.spark import configure
from lineage.spark.launcher import jar
from lineage.spark.launcher.submit import LISTENER


class Builder:
    """The used part of ``SparkSession.builder``."""

    def __init__(self, **options: str) -> None:
        self._options = {key.replace("_", "."): value for key, value in options.items()}

    def config(self, key: str, value: str) -> Builder:
        self._options[key] = value
        return self

    def __getitem__(self, key: str) -> str:
        return self._options[key]


def test_the_listener_its_jar_and_its_settings_are_added() -> None:
    builder = configure(Builder(), spool="spool", namespace="prod", channel="file")
    assert Path(builder["spark.jars"]) == jar.jar_path(*jar.installed_spark())
    assert builder["spark.extraListeners"] == LISTENER
    assert builder["spark.lineage.spool"] == str(Path("spool").absolute())
    assert builder["spark.lineage.namespace"] == "prod"
    assert builder["spark.lineage.channel"] == "file"


def test_settings_of_the_builder_remain() -> None:
    builder = Builder(spark_jars="a.jar", spark_extraListeners="com.x.Other")
    configure(builder)
    assert builder["spark.jars"].startswith("a.jar,")
    assert builder["spark.extraListeners"] == f"com.x.Other,{LISTENER}"


def test_configuring_again_changes_nothing() -> None:
    builder = configure(Builder())
    before = dict(builder._options)
    assert configure(builder)._options == before


def test_a_spark_without_a_jar_is_rejected() -> None:
    with pytest.raises(JarError, match="no listener jar for Spark 2"):
        configure(Builder(), spark="2.4")


def test_importing_lineage_loads_neither_pyspark_nor_a_database() -> None:
    code = (
        "import sys, lineage, lineage.naming, lineage.spark;"
        "print([m for m in ('pyspark', 'py4j', 'psycopg', 'openlineage') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
