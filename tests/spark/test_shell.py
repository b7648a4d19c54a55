"""Statements of the shell spark-sql, which starts a statement's execution after its commands."""

from __future__ import annotations

from pathlib import Path

import pyspark
import pytest
from support.spark.recorded import TESTS, Recorded, run

JARS = Path(pyspark.__file__).parent / "jars"
SHELL = list(JARS.glob("spark-hive-thriftserver_*.jar"))
pytestmark = pytest.mark.skipif(not SHELL, reason="this Spark comes without its shell")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return run(TESTS / "spark" / "jobs" / "shell.py", tmp_path_factory.mktemp("shell"))


def test_each_statement_is_one_run(recorded: Recorded) -> None:
    ends = [
        (event["job"]["name"].removeprefix("shell."), event["eventType"])
        for event in recorded.events
        if event["eventType"] != "START" and "lineage_execution" in event["run"]["facets"]
    ]
    assert ends == [
        ("create_data_source_table_as_select_command.default_a", "COMPLETE"),
        ("insert_into_hadoop_fs_relation_command.default_a", "COMPLETE"),
        (f"insert_into_data_source_dir_command.{recorded.directory.name}_out", "COMPLETE"),
        ("query", "COMPLETE"),
        ("create_data_source_table_as_select_command.default_b", "FAIL"),
        ("create_data_source_table_as_select_command.default_c", "COMPLETE"),
    ]


def test_a_statement_has_the_effects_of_its_commands(recorded: Recorded) -> None:
    (end,) = recorded.ends("ctas")
    (output,) = end["outputs"]
    assert recorded.name(output) == "wh/a"
    assert output["outputFacets"]["outputStatistics"]["rowCount"] == 3
