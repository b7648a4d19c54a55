"""A trace of a job on Delta Lake or Iceberg reads the versions of the run, and writes nothing."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import psycopg
import pytest
from support.spark import java
from support.spark.recorded import ENVIRONMENT, run
from support.spark.releases import environment

from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.fixtures.database import Server

JOB = Path(__file__).parent / "jobs" / "lake_commands.py"
LINEAGE = Path(sys.executable).parent / "lineage"
LAKES = ("support.cases.delta", "support.cases.iceberg")

# What is refused by its name or by the file systems. All others are diverted: they do nothing.
REFUSED = {
    LAKES[0]: {"api merge"},
    LAKES[1]: {
        "api delete",
        "api properties",
        *(
            f"CALL lake.system.{procedure}"
            for procedure in (
                "rewrite_data_files('db.pairs')",
                "rewrite_manifests('db.pairs')",
                "expire_snapshots('db.pairs')",
                "remove_orphan_files('db.pairs')",
                "rollback_to_timestamp('db.pairs', current_timestamp())",
            )
        ),
    },
}


class Traced(NamedTuple):
    """The result of ``lineage trace``, the job's lines, and the files before and after."""

    lake: str
    answer: dict[str, object]
    done: set[str]
    refused: dict[str, str]
    before: dict[str, str]
    after: dict[str, str]


def files_of(directory: Path) -> dict[str, str]:
    """Return the digest of each file of a lake, without what a driver leaves beside it."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.relative_to(directory).parts[0] not in ("spool", "ivy")
    }


@pytest.fixture(scope="module", params=LAKES, ids=["delta", "iceberg"])
def traced(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, server: Server
) -> Iterator[Traced]:
    """Create a lake, copy a table, append to it, and trace the rows of the copy by a dry run."""
    lake: str = request.param
    database = server.create(server.migrated())
    dsn = server.dsn(database)
    directory = tmp_path_factory.mktemp("lake")
    connector = importlib.import_module(lake).CONNECTOR
    variables = environment(connector.spark)
    recorded = run(JOB, directory, lake, "create", environment=variables)
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, map(json.dumps, recorded.events))
    before = files_of(directory)
    done = subprocess.run(
        [
            LINEAGE, "trace", f"{directory}/copy", "--where", "id > 1", "--format", "json",
            "--dsn", dsn, "--", f"{variables['SPARK_HOME']}/bin/spark-submit",
            "--packages", ",".join(connector.packages), JOB, directory, lake,
        ],
        cwd=directory, env={**os.environ, **java.environment(), **ENVIRONMENT, **variables},
        capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    lines = [line.split(" ", 1) for line in done.stderr.splitlines() if " " in line]
    yield Traced(
        lake,
        json.loads(done.stdout)["traces"][0],
        {rest for word, rest in lines if word == "DONE"},
        dict(rest.split(" -> ", 1) for word, rest in lines if word == "REFUSED"),
        before,
        files_of(directory),
    )
    server.drop(database)


def test_the_version_of_the_run_is_read(traced: Traced) -> None:
    """Row 3 was appended after the run."""
    assert traced.answer["values"] == [{"id": 2}]
    assert traced.answer["fidelity"] == "exact"
    [reason] = [each for each in traced.answer["reasons"] if each.startswith("as of the run:")]
    assert "pairs" in reason


def test_the_lake_is_the_same_afterwards(traced: Traced) -> None:
    assert traced.after == traced.before


def test_each_command_is_diverted_or_rejected(traced: Traced) -> None:
    assert len(traced.done) + len(traced.refused) >= 25
    wrong = {
        name: text
        for name, text in traced.refused.items()
        if "Lineage: this is a dry run" not in text
    }
    assert wrong == {}
    assert set(traced.refused) == REFUSED[traced.lake]
