"""The commands of the lake under the listener: the graph has the lineage of the lake itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import run_event
from support.slow import slow
from support.spark import java
from support.spark.recorded import ENVIRONMENT

from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

LINEAGE = Path(sys.executable).with_name("lineage")


def lake_command(dsn: str, home: Path, *arguments: str) -> str:
    """Run ``lineage lake`` and return its stderr."""
    environment = {
        **os.environ, **java.environment(), **ENVIRONMENT, "LINEAGE_DSN": dsn,
        "LINEAGE_SPOOL": str(home), "PYSPARK_SUBMIT_ARGS": "--master local[2] pyspark-shell",
    }  # fmt: skip
    done = subprocess.run(
        [str(LINEAGE), "lake", *arguments], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_the_graph_has_the_lineage_of_lake_and_fold(
    conn: psycopg.Connection[Any], dsn: str, tmp_path: Path
) -> None:
    source, lake, spools = tmp_path / "a.jsonl", tmp_path / "lake", tmp_path / "spools"
    source.write_text(run_event("r", "COMPLETE", 0, "load", ("raw",), ("clean",)) + "\n")
    assert "is not" not in lake_command(dsn, spools, "add", str(lake), str(source))
    lake_command(dsn, spools, "fold", str(lake))
    with Graph(dsn) as graph:
        assert graph.upstream("clean").datasets
        table = f"{conn.info.dbname}.lineage.feeds"
        trace = graph.upstream(table)
        names = {each.full_name for each in trace.datasets}
        assert trace.root.namespace.startswith("postgres://")
        assert names == {f"file:{lake}", f"file:{source}"}
        fold = graph.job("lineage_lake.fold")
        assert [each.full_name for each in fold.inputs] == [f"file:{lake}"]
        assert len(fold.outputs) == 5
        [run] = graph.job_runs("lineage_lake.fold")
        assert run.state == "COMPLETE"


@pytest.mark.parametrize("commands", [("add",), slow(("add", "fold"))], ids=" ".join)
def test_no_lineage_is_recorded_on_request(
    dsn: str, tmp_path: Path, commands: tuple[str, ...]
) -> None:
    source, lake, spools = tmp_path / "a.jsonl", tmp_path / "lake", tmp_path / "spools"
    source.write_text(run_event("r", "COMPLETE", 0, "load", ("raw",), ("clean",)) + "\n")
    arguments = {"add": (str(lake), str(source)), "fold": (str(lake),)}
    for command in commands:
        lake_command(dsn, spools, command, *arguments[command], "--no-lineage")
    with Graph(dsn) as graph:
        assert len(graph.runs()) == commands.count("fold"), "the run of the event is folded"


def test_a_missing_database_does_not_stop_an_add(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_text(run_event("r", "COMPLETE", 0, "load", ("raw",), ("clean",)) + "\n")
    dsn = "postgresql://nobody@127.0.0.1:1/nothing"
    stderr = lake_command(dsn, tmp_path / "spools", "add", str(tmp_path / "lake"), str(source))
    assert "1 events were new to the lake" in stderr
    assert "The lineage of this command is not in the graph" in stderr
    assert "lineage ingest" in stderr
