"""An event lake in a table of Iceberg and of Delta Lake, whose files are compacted and deleted."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from support.events.builders import run_event
from support.events.months import in_month, three_months
from support.spark.releases import environment
from support.spark.session import SETTINGS

from lineage.eventlog import archived
from lineage.ingest.writer import write_events
from lineage.lake.layout import COLUMNS
from lineage.projection.rebuild import graph_fingerprint
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.fixtures.database import Server

STATEMENTS = Path(__file__).parent / "jobs" / "statements.py"
LINEAGE = Path(sys.executable).with_name("lineage")


@dataclass(frozen=True)
class Format:
    """The statements of a format, with the name of the table and its properties as fields."""

    table: str
    create: str
    compact: tuple[str, ...]
    keep_deleted: str
    conf: dict[str, str] = field(default_factory=dict)


DERBY = "spark.hadoop.javax.jdo.option.ConnectionURL"
FORMATS = {
    "iceberg": Format(
        "lake.db.events",
        "USING iceberg PARTITIONED BY (month)",
        (
            "CALL lake.system.rewrite_data_files('db.events', options => map('rewrite-all', true))",
            "CALL lake.system.expire_snapshots('db.events', now(), 1)",
        ),
        "'write.delete.mode' = 'merge-on-read'",
    ),
    "delta": Format(
        "events",
        "USING delta PARTITIONED BY (month)",
        ("OPTIMIZE events", "VACUUM events RETAIN 0 HOURS"),
        "'delta.enableDeletionVectors' = 'true'",
        {
            "spark.databricks.delta.retentionDurationCheck.enabled": "false",
            # The catalog of Spark is in memory, and that of Hive is on disk.
            "spark.sql.catalogImplementation": "hive",
            DERBY: "jdbc:derby:{directory}/derby;create=true",
        },
    ),
}


@dataclass(frozen=True)
class Lake:
    """A table, and the commands of Spark that use it."""

    format: Format
    directory: Path
    variables: dict[str, str]

    @property
    def name(self) -> str:
        return f"table:{self.format.table}"

    def execute(self, *statements: str) -> None:
        subprocess.run(
            [sys.executable, str(STATEMENTS)],
            input="\n".join(statements), text=True, env=self.variables, check=True, timeout=600,
        )  # fmt: skip

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(LINEAGE), *arguments],
            env=self.variables, capture_output=True, text=True, timeout=600,
        )  # fmt: skip

    def fold(self, *options: str) -> str:
        done = self.run("lake", "fold", self.name, *options)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def add(self, events: list[str], *options: str) -> None:
        source = self.directory / "events.jsonl"
        source.write_text("\n".join(events))
        done = self.run("lake", "add", self.name, str(source), *options)
        assert done.returncode == 0, done.stderr


@pytest.fixture(params=FORMATS)
def lake(request: pytest.FixtureRequest, dsn: str, tmp_path: Path) -> Lake:
    cases = importlib.import_module(f"support.cases.{request.param}")
    form = FORMATS[request.param]
    warehouse = tmp_path / "a lake, 100%25"  # in URIs, a space and a percent sign are encoded
    settings = {
        **SETTINGS,
        "spark.master": "local[2]",
        "spark.sql.warehouse.dir": f"{warehouse}/wh",
        "spark.jars.packages": ",".join(cases.CONNECTOR.packages),
        **cases.settings(str(warehouse)),
        **{key: text.format(directory=tmp_path) for key, text in form.conf.items()},
    }
    (tmp_path / "conf").mkdir()
    lines = [f"{key} {value}\n" for key, value in settings.items()]
    (tmp_path / "conf" / "spark-defaults.conf").write_text("".join(lines))
    variables = {
        **os.environ, **environment(cases.CONNECTOR.spark), "LINEAGE_DSN": dsn,
        "LINEAGE_SPOOL": str(tmp_path / "spools"), "SPARK_CONF_DIR": str(tmp_path / "conf"),
    }  # fmt: skip
    return Lake(form, tmp_path, variables)


def create_table(lake: Lake, properties: str = "") -> None:
    text = f"CREATE TABLE {lake.format.table} ({COLUMNS}, month string) {lake.format.create}"
    lake.execute(f"{text} TBLPROPERTIES ({properties})" if properties else text)


def test_a_compacted_table_gives_the_graph_of_ingested_events(
    lake: Lake,
    conn: psycopg.Connection[Any],
    server: Server,
    database: Callable[[str], str],
) -> None:
    events = three_months()
    create_table(lake)
    for part in (events[::2], events[1::2]):
        lake.add(part, "--no-lineage")
        assert lake.fold("--no-lineage").count("6 events") == 3
    with psycopg.connect(database(server.migrated()), autocommit=True) as ingested:
        write_events(ingested, events)
        expected = graph_fingerprint(ingested)
    before = {file.location for file in archived.archived_files(conn)}

    lake.execute(*lake.format.compact)
    failed = lake.run("rebuild")
    assert failed.returncode == 2
    assert f"lineage lake fold {lake.name}" in failed.stderr
    assert lake.fold("--no-lineage") == ""
    files = archived.archived_files(conn)
    assert [file.events for file in files] == [12, 12, 12]
    assert not before & {file.location for file in files}
    assert lake.run("rebuild").returncode == 0
    assert graph_fingerprint(conn) == expected


def test_deleted_rows_are_an_error(lake: Lake, conn: psycopg.Connection[Any]) -> None:
    create_table(lake, lake.format.keep_deleted)
    lake.add(three_months())
    lake.fold("--no-lineage")
    lake.execute(f"DELETE FROM {lake.format.table} WHERE run_id = 'r11'")
    failed = lake.run("lake", "fold", lake.name)
    assert (failed.returncode, "Rows of 2025-01 were deleted" in failed.stderr) == (2, True)


def test_events_that_a_rewrite_deleted_are_an_error(
    lake: Lake, conn: psycopg.Connection[Any]
) -> None:
    """The table has more events than before, but not all of those."""
    events = three_months()
    deleted = sum('"runId": "r11"' in event for event in events)
    create_table(lake)
    lake.add(events)
    lake.fold("--no-lineage")
    lake.execute(f"DELETE FROM {lake.format.table} WHERE run_id = 'r11'")
    lake.add([in_month(run_event(f"new{n}", "COMPLETE", n), 1) for n in range(deleted + 1)])
    failed = lake.run("lake", "fold", lake.name)
    assert failed.returncode == 2
    assert f"lacks {deleted} events of 2025-01" in failed.stderr


def test_the_graph_has_the_lineage_of_the_table(lake: Lake, dsn: str) -> None:
    create_table(lake)
    lake.add(three_months())
    lake.fold()
    with Graph(dsn) as graph:
        [table] = graph.job("lineage_lake.fold").inputs
        trace = graph.upstream("lineage.feeds")
        names = {each.full_name for each in trace.datasets}
    assert names == {table.full_name, f"file:{lake.directory}/events.jsonl"}
