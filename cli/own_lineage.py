"""The lineage of the Spark jobs that a command runs itself, recorded by the listener."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

from lineage import naming, settings
from lineage.errors import LineageError, UsageError
from lineage.failures import first_line
from lineage.openlineage.timestamps import current_time

from .output import terminal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import psycopg
    from pyspark.sql import SparkSession

# The tables that a fold writes, of those that other programs read.
_TABLES = ("access", "dataset", "feeds", "job", "run")
_NAMESPACE = "default"


@dataclass
class OwnLineage:
    """The lineage of one command: plan documents in ``spool``, and events that it states."""

    dsn: str | None
    spool: Path | None
    events: list[str] = field(default_factory=list)

    @contextmanager
    def state_fold(self, conn: psycopg.Connection[object], lake: str) -> Iterator[None]:
        """State that the block reads the lake and writes into the tables of the database.

        Spark does not know of these writes, because its tasks write by psycopg.
        """
        started, run, state = current_time(), str(uuid4()), "FAIL"
        try:
            yield
            state = "COMPLETE"
        finally:
            outputs = _name_tables(conn.info.host, conn.info.port, conn.info.dbname)
            for kind, time in (("START", started), (state, current_time())):
                self.events.append(_build_event(run, kind, time, naming.of_path(lake), outputs))

    def write_events(self) -> None:
        """Write all of it into the graph; on failure, report where it remains."""
        if self.spool is None:
            return
        from openlineage.client.serde import Serde

        from lineage.database.connection import connect_migrated
        from lineage.ingest.writer import write_events
        from lineage.spark.conversion.applications import convert_applications
        from lineage.spark.document.spool import find_applications

        try:
            converted = convert_applications(find_applications(self.spool), _report_line)
            events = [Serde.to_json(event) for event in converted]
            with connect_migrated(self.dsn) as conn:
                write_events(conn, [*events, *self.events])
        except LineageError as error:
            terminal.write_line(
                f"The lineage of this command is not in the graph: {error}"
                f" Run: lineage ingest {self.spool}",
                err=True,
            )


@contextmanager
def recorded_session(
    builder: SparkSession.Builder, dsn: str | None, *, is_recorded: bool
) -> Iterator[tuple[SparkSession, OwnLineage]]:
    """Run the block with a session that has the listener; then write its lineage into the graph.

    A session that spark-submit has started, or whose listeners are configured, is left as it is.
    """
    lineage = OwnLineage(dsn, _add_listener(builder) if is_recorded else None)
    spark = start_session(builder)
    try:
        yield spark, lineage
    finally:
        if lineage.spool is not None:
            spark.stop()  # the listener has written all documents then
            lineage.write_events()


def start_session(builder: SparkSession.Builder) -> SparkSession:
    """Return the session of a builder. Raises UsageError if the JVM of Spark does not start."""
    from pyspark.errors import PySparkRuntimeError

    try:
        return builder.getOrCreate()
    except PySparkRuntimeError as exc:
        if "JAVA_GATEWAY_EXITED" not in str(exc):
            raise
        raise UsageError(
            f"Spark did not start: {first_line(str(exc))}",
            "Install a version of Java that Spark supports, such as 17, or set JAVA_HOME.",
        ) from exc


def _add_listener(builder: SparkSession.Builder) -> Path | None:
    """Add the listener to a session; return its spool, or None if it cannot be added."""
    from lineage.spark import configure
    from lineage.spark.launcher.launch import new_spool

    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return None
    if "spark.extraListeners" in os.environ.get("PYSPARK_SUBMIT_ARGS", ""):
        return None
    spool = new_spool(settings.spool_directory().absolute())
    try:
        configure(builder, spool=spool, namespace=_NAMESPACE, transport="file")
    except LineageError as error:
        terminal.write_line(f"The lineage of this command is not recorded: {error}", err=True)
        return None
    return spool


def _name_tables(host: str, port: int, database: str) -> list[naming.DatasetName]:
    """Return the tables of the graph, as Spark names them if it reads them by JDBC."""
    server = "localhost" if not host or host.startswith("/") else host
    url = f"jdbc:postgresql://{server}:{port}/{database}"
    return [naming.of_jdbc(url, f"lineage.{table}") for table in _TABLES]


def _build_event(
    run: str, kind: str, time: str, lake: naming.DatasetName, outputs: list[naming.DatasetName]
) -> str:
    from lineage.openlineage.written_events import build_event

    event = build_event(
        "RunEvent",
        time,
        eventType=kind,
        run={"runId": run},
        job={"namespace": _NAMESPACE, "name": "lineage_lake.fold"},
        inputs=[{"namespace": lake.namespace, "name": lake.name}],
        outputs=[{"namespace": each.namespace, "name": each.name} for each in outputs],
    )
    return json.dumps(event)


def _report_line(error: LineageError) -> None:
    terminal.write_line(str(error), err=True)
