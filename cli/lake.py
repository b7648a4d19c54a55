"""``lineage lake``: add events to an event lake, and fold it into the graph, by Spark."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lineage.errors import UsageError
from lineage.extras import install_hint

from . import options
from .output import render, terminal
from .own_lineage import recorded_session, start_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from lineage.lake.adding import Added
    from lineage.lake.statistics import Grouping

_lake = click.argument("lake", metavar="LAKE")
_RUN_COLUMNS = ["last_event", "state", "access", "dataset", "job", "run_id"]
_no_lineage = click.option(
    "--no-lineage", is_flag=True, help="Do not record the lineage of this command."
)


@click.group("lake")
def lake_group() -> None:
    """Add events to an event lake, fold it into the graph, and count its runs, by Spark.

    LAKE is a directory or a URI, such as s3://bucket/lineage, or a table of a catalog of Spark,
    such as table:prod.lineage.events. The commands use the installed pyspark with all cores of this
    machine, unless spark-defaults.conf or PYSPARK_SUBMIT_ARGS names another master. Executors need
    this package, and access to the lake and the database.
    """


@lake_group.command("add")
@_lake
@click.argument("sources", nargs=-1, required=True, metavar="FILE|DIRECTORY...")
@_no_lineage
@options.dsn
@click.pass_context
def add_events(
    context: click.Context, lake: str, sources: tuple[str, ...], no_lineage: bool, dsn: str | None
) -> None:
    """Add events from files of JSON lines to a lake, each event once.

    Files may be compressed (.gz, .bz2, .zst), and a directory is read with those below it. A line
    that cannot be read is kept in month=rejected with the reason. Then the most frequent reasons
    are reported, and the exit code is 1. Spools are written by `lineage ingest`.

    \b
    Example:
      lineage lake add /var/lake/lineage events/*.jsonl.gz
    """
    from lineage.lake.adding import add_files
    from lineage.lake.opening import open_lake

    with recorded_session(_session_builder(), dsn, is_recorded=not no_lineage) as (spark, _):
        added = add_files(open_lake(spark, lake), sources)
    terminal.write_line(
        f"{added.lines:,} lines read; {added.new:,} events were new to the lake,"
        f" {added.rejected:,} lines were rejected.",
        err=True,
    )
    if added.rejected:
        _write_rejections(added)
        context.exit(1)


@lake_group.command("fold")
@_lake
@_no_lineage
@options.dsn
def fold_events(lake: str, no_lineage: bool, dsn: str | None) -> None:
    """Write the events of a lake into the graph, month by month.

    The events stay in the lake and are not appended to the log; `lineage rebuild` reads them from
    the lake. An interrupted fold is completed by the same command.

    \b
    Example:
      lineage lake fold /var/lake/lineage
    """
    from lineage.database.connection import connect_migrated
    from lineage.lake.folding import fold_lake
    from lineage.lake.opening import open_lake

    events = 0
    session = recorded_session(_session_builder(), dsn, is_recorded=not no_lineage)
    with connect_migrated(dsn) as conn, session as (spark, lineage):
        opened = open_lake(spark, lake)
        with lineage.state_fold(conn, opened.find_location()):
            for folded in fold_lake(opened, conn, dsn):
                events += folded.events
                terminal.write_line(f"{folded.month}: {folded.events:,} events")
    terminal.write_line(f"{events:,} events are in the graph.", err=True)


@lake_group.command("stats")
@_lake
@click.option(
    "--by",
    type=click.Choice(["day", "week", "job", "use", "run"]),
    default="day",
    show_default=True,
    help="use: by day and dataset.",
)
@click.option("--since", metavar="MONTH", help="First month to read, as 2026-01.")
@click.option(
    "--to", "target", metavar="DIRECTORY", help="Write all rows to a new directory, as Parquet."
)
@options.limit_option(20)
@options.format_option("text", "json", "jsonl", "csv")
def show_statistics(
    lake: str, by: Grouping, since: str | None, target: str | None, limit: int, form: str
) -> None:
    """Count the runs of a lake by day, week, job or dataset, or list them.

    The command needs no database. A run counts on the day of its first event, in UTC; a week is
    named by its Monday. completed and failed are the numbers of runs that ended in these states;
    seconds is the median duration of the completed runs that reported their start. reads and writes
    count runs by dataset, and datasets by run. Datasets have the names of the events, without
    aliases.

    \b
    Examples:
      lineage lake stats /var/lake/lineage
      lineage lake stats s3://bucket/lineage --by use --since 2026-01 --to s3://bucket/use
    """
    from lineage.lake.opening import open_lake
    from lineage.lake.statistics import COLUMNS, compute_statistics, read_month, write_statistics

    read_month(since)  # before Spark takes seconds to start
    frame = compute_statistics(open_lake(_start_spark(), lake), by, since)
    if target is not None:
        write_statistics(frame, target)
        return
    rows = [row.asDict() for row in (frame.limit(limit + 1) if limit else frame).collect()]
    first = rows[:limit] if limit else rows
    if form == "text":
        lines = render.table_lines(first, COLUMNS[by], terminal.line_width())
        terminal.write_fitting_lines(lines if first else ["The lake has no run."])
    else:
        render.emit_rows(first, form, COLUMNS[by])
    if len(rows) > len(first):
        terminal.write_line("There are more; --limit 0 shows all.", err=True)


@lake_group.command("runs")
@_lake
@click.option("--dataset", metavar="NAME", help="Only reads and writes of this dataset.")
@click.option("--job", metavar="NAME", help="Only runs of this job.")
@click.option("--run", "run_id", metavar="ID", help="Only this run.")
@options.time_option("--since", "Only runs that ended at that time or later.")
@options.time_option("--until", "Only runs that ended at that time or earlier.")
@options.limit_option(100)
@options.format_option("text", "json", "jsonl", "csv")
def list_archived_runs(
    lake: str,
    dataset: str | None,
    job: str | None,
    run_id: str | None,
    since: str | None,
    until: str | None,
    limit: int,
    form: str,
) -> None:
    """List the reads and writes of archived runs, newest first.

    The command reads the files of `lineage archive-runs`. It needs pyarrow, but neither a database
    nor Spark. A run ended at the time of its last event. NAME is a full name, or its end after a
    slash, dot or colon; aliases are not resolved. Formats other than text contain facets.

    \b
    Examples:
      lineage lake runs /var/lake/lineage --dataset gold/revenue --since 2025-01-01
      lineage lake runs /var/lake/lineage --run 0198c6f0-22a1-7000-8000-000000000001
    """
    from lineage.eventlog.run_files import AccessFilter, read_accesses
    from lineage.query.time_arguments import time_of

    first_time, last_time = (time and time_of(time) for time in (since, until))
    accesses = read_accesses(lake, AccessFilter(dataset, job, run_id, first_time, last_time))
    first = [row._asdict() for row in (accesses[:limit] if limit else accesses)]
    if form == "text":
        for row in first:
            row["access"] = {True: "write", False: "read", None: None}[row["is_output"]]
            row["last_event"] = render.format_time(row["last_event"])
        lines = render.table_lines(first, _RUN_COLUMNS, terminal.line_width())
        terminal.write_fitting_lines(lines if first else ["No archived run was found."])
    else:
        render.emit_rows(first, form, [*first[0]] if first else [])
    if len(accesses) > len(first):
        terminal.write_line(
            f"{len(first):,} of {len(accesses):,} are shown. --limit 0 shows all.", err=True
        )


@lake_group.command("stream")
@_lake
@click.option("--servers", metavar="HOST:PORT,...", required=True, help="Brokers of Kafka.")
@click.option("--topic", metavar="TOPIC", required=True, help="Topic of OpenLineage events.")
@click.option(
    "--checkpoint",
    metavar="DIRECTORY",
    required=True,
    help="Directory in which Spark stores the position in the topic.",
)
@click.option(
    "--events-per-batch",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Largest number of events of a micro-batch.",
)
@click.option(
    "--consumer-config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Properties of Kafka's consumer, such as security.protocol and sasl.jaas.config.",
)
@click.option("--available-now", is_flag=True, help="End when the present events are written.")
@options.dsn
def stream_topic(
    lake: str,
    servers: str,
    topic: str,
    checkpoint: str,
    events_per_batch: int,
    consumer_config: Path | None,
    available_now: bool,
    dsn: str | None,
) -> None:
    """Write the events of a Kafka topic into a lake and the graph.

    If the command is started again, it goes on where it ended. If the checkpoint is lost, it reads
    the topic from its beginning, and events that the lake has change nothing. A record that is not
    an event is kept in month=rejected, and reported. Spark needs the package spark-sql-kafka-0-10.

    \b
    Example:
      export PYSPARK_SUBMIT_ARGS="--packages \\
        org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.0 pyspark-shell"
      lineage lake stream /var/lake/lineage --servers kafka:9092 \\
        --topic openlineage --checkpoint /var/lake/openlineage.checkpoint
    """
    from lineage.lake.streaming import read_properties, read_topic, stream_lines

    spark = _start_spark()
    properties = read_properties(spark, consumer_config) if consumer_config else None
    lines = read_topic(spark, servers, topic, events_per_batch, properties)
    stream_lines(dsn, lake, lines, checkpoint, _report_rejected, is_endless=not available_now)


def _report_rejected(added: Added) -> None:
    if added.rejected:
        terminal.write_line(
            f"Rejected records: {added.rejected:,} of {added.lines:,}.",
            err=True,
        )
        _write_rejections(added)


def _write_rejections(added: Added) -> None:
    """Write the most frequent reasons, and where all lines are with their reasons."""
    for reason, lines, beginning in added.rejections:
        terminal.write_line(f"  {lines:,} times: {reason}, as in: {beginning}", err=True)
    terminal.write_line(
        "Rejected lines are in month=rejected of the lake, with the reasons.", err=True
    )


def _start_spark() -> SparkSession:
    """Return the session of spark-submit, or a new one on all cores of this machine."""
    return start_session(_session_builder())


def _session_builder() -> SparkSession.Builder:
    try:
        from pyspark.sql import SparkSession
    except ImportError as exc:
        raise UsageError("The lake needs pyspark.", install_hint("spark")) from exc
    # The tasks need this package; Spark's default is the first python3 of the PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("lineage lake")
    return builder.config("spark.ui.showConsoleProgress", "false")
