"""``lineage rebuild``, ``replay``, ``archive``, ``archive-runs`` and ``prune``: graph and log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import options
from .output import terminal
from .output.progress import ProgressLine, of_total

if TYPE_CHECKING:
    from types import TracebackType

    import psycopg

_before = click.option(
    "--before",
    metavar="TIME",
    required=True,
    help="Month, such as 2026-01, or time (ISO 8601) in a month; the month is retained. Months, and"
    " times without an offset, are in UTC.",
)
_to_lake = click.option(
    "--to",
    "lake",
    metavar="DIRECTORY",
    required=True,
    help="Directory or URI of the lake, such as s3://bucket/lineage.",
)


@click.command()
@options.dsn
def rebuild(dsn: str | None) -> None:
    """Drop the graph and rebuild it from the event log.

    The new graph equals the old one. Events may arrive during a rebuild: they are acknowledged at
    once and projected afterwards. Queries wait until the rebuild has ended. On an error, nothing is
    changed.

    \b
    Example:
      lineage rebuild
    """
    from lineage.database.connection import connect_migrated
    from lineage.projection.rebuild import rebuild_graph as run

    with connect_migrated(dsn) as conn, Progress(conn) as progress:
        events = run(conn, on_projected=progress.on_projected)
    terminal.write_line(f"The graph was rebuilt from {events:,} events.", err=True)


@click.command()
@click.option("--spark", is_flag=True, required=True, help="Convert plan documents of Spark jobs.")
@options.dsn
def replay(spark: bool, dsn: str | None) -> None:
    """Convert the stored plan documents again and rebuild the graph.

    `lineage serve` stores the plan documents that it receives. Events from this version of the
    converter supersede events from an older version. Superseded events remain in the log but are
    not in the graph.

    \b
    Example:
      lineage migrate && lineage replay --spark
    """
    from lineage.database.connection import connect_migrated
    from lineage.plan_documents.reconversion import reconvert_all as run

    with connect_migrated(dsn) as conn, Progress(conn, of_documents=True) as progress:
        done = run(conn, progress)
    terminal.write_line(
        f"{done.documents:,} documents converted to {done.new:,} new events;"
        f" {done.replaced:,} earlier events superseded.",
        err=True,
    )


@click.command("archive")
@_before
@_to_lake
@options.dsn
def archive_log(before: str, lake: str, dsn: str | None) -> None:
    """Move the events of the months before a time to Parquet files of an event lake.

    Each month is dropped from the log after its file was written and read back. The graph does not
    change, and `lineage rebuild` reads the files too. Plan documents stay in the database. Writing
    files needs pyarrow.

    \b
    Example:
      lineage archive --before 2026-01-01 --to /var/lake/lineage
    """
    from lineage.database.connection import connect_migrated
    from lineage.maintenance.archive import archive_months

    events = 0
    with connect_migrated(dsn) as conn:
        for file in archive_months(conn, before, lake):
            events += file.events
            terminal.write_line(f"{file.month}: {file.events:,} events in {file.location}")
    terminal.write_line(f"{events:,} events were archived.", err=True)


@click.command("archive-runs")
@_before
@_to_lake
@options.dsn
def archive_old_runs(before: str, lake: str, dsn: str | None) -> None:
    """Move the runs of the months before a time to Parquet files of an event lake.

    Lineage of datasets, columns and jobs still counts them. Runs that are needed to answer
    questions about later times stay in the graph, such as the last one in which a job wrote a
    dataset, and the last 21 runs of each job. Questions about earlier times fail with an error;
    `lineage lake runs` lists the archived runs. Events stay in the log. Writing files needs
    pyarrow.

    \b
    Example:
      lineage archive-runs --before 2026-01-01 --to /var/lake/lineage
    """
    from lineage.database.connection import connect_migrated
    from lineage.maintenance.archive_runs import archive_runs

    runs = 0
    with connect_migrated(dsn) as conn:
        for file in archive_runs(conn, before, lake):
            runs += file.runs
            terminal.write_line(
                f"{file.month}: {file.runs:,} runs with {file.accesses:,} reads and writes in"
                f" {file.location}"
            )
    terminal.write_line(f"{runs:,} runs were archived.", err=True)


@click.command()
@_before
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@options.dsn
def prune(before: str, yes: bool, dsn: str | None) -> None:
    """Drop events, plan documents, recorded items and saved traces of the months before a time.

    All that events showed stays in the graph. Afterwards it can no longer be rebuilt from the log:
    rebuild and replay fail with an error.

    \b
    Example:
      lineage prune --before 2026-01-01
    """
    from lineage.database.connection import connect_migrated
    from lineage.maintenance.retention import prune_months as run

    if not yes:
        click.confirm("The graph cannot be rebuilt from the log afterwards. Continue?", abort=True)
    with connect_migrated(dsn) as conn:
        done = run(conn, before)
    terminal.write_line(
        f"{done.events:,} events and {done.documents:,} plan documents were dropped;"
        f" the log begins at {done.retained_from[:10]}.",
        err=True,
    )


class Progress:
    """Report progress on stderr if that is a terminal."""

    def __init__(self, conn: psycopg.Connection[Any], *, of_documents: bool = False) -> None:
        self._conn = conn
        self._line = ProgressLine()
        self._documents = self._count_documents() if of_documents else 0
        self._events = 0

    def on_converted(self, documents: int) -> None:
        """Report the number of converted documents."""
        self._line.show(documents, "documents", of_total(documents, self._documents))

    def on_projected(self, events: int) -> None:
        """Report the number of projected events."""
        if not events:  # the first report: a replay has converted all documents by now
            self._events = self._count_events()
            self._line.restart()
        self._line.show(events, "events", of_total(events, self._events))

    def _count_events(self) -> int:
        from lineage.eventlog.log import count_projected

        return count_projected(self._conn) if self._line.is_visible else 0

    def _count_documents(self) -> int:
        from lineage.plan_documents.store import count_documents

        return count_documents(self._conn) if self._line.is_visible else 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._line.clear()
