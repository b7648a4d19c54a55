"""``lineage rebuild``, ``replay`` and ``prune``: the graph made again, and the log cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from . import options
from .output import terminal
from .output.progress import ProgressLine, of_total

if TYPE_CHECKING:
    from types import TracebackType

    import psycopg


@click.command()
@options.dsn
def rebuild(dsn: str | None) -> None:
    """Drop the graph and make it again from the log of events.

    The graph is the same afterwards. It may be done while events come in: they are acknowledged,
    and drawn when it is over. Until then questions wait. On an error all stays as it was.

    \b
    Example:
      lineage rebuild
    """
    from lineage.database.connection import connect
    from lineage.projection.rebuild import rebuild_graph as run

    with connect(dsn, autocommit=True) as conn, Progress(conn) as progress:
        events = run(conn, on_projected=progress.on_projected)
    terminal.write_line(f"The graph is made again from {events:,} events.", err=True)


@click.command()
@click.option("--spark", is_flag=True, required=True, help="The plan documents of Spark jobs.")
@options.dsn
def replay(spark: bool, dsn: str | None) -> None:
    """Convert the plan documents that lineage serve has kept anew, and make the graph again.

    What this version of the converter gives replaces what an older one gave: events that no
    document gives any more stay in the log, and the graph does not show them.

    \b
    Example:
      lineage migrate && lineage replay --spark
    """
    from lineage.database.connection import connect
    from lineage.plan_documents.reconversion import reconvert_all as run

    with connect(dsn, autocommit=True) as conn, Progress(conn, of_documents=True) as progress:
        done = run(conn, progress)
    terminal.write_line(
        f"{done.documents:,} documents give {done.new:,} new events;"
        f" {done.replaced:,} that they gave before are replaced.",
        err=True,
    )


@click.command()
@click.option("--before", metavar="TIME", required=True, help="ISO 8601; the month of it stays.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.dsn
def prune(before: str, yes: bool, dsn: str | None) -> None:
    """Drop the events and plan documents of months before a time. The graph stays as it is.

    A graph whose log is not whole cannot be made again from it: rebuild and replay refuse to.

    \b
    Example:
      lineage prune --before 2026-01-01
    """
    from lineage.database.connection import connect
    from lineage.maintenance.retention import prune_months as run

    if not yes:
        click.confirm("The graph cannot be rebuilt from the log afterwards. Go on?", abort=True)
    with connect(dsn, autocommit=True) as conn:
        done = run(conn, before)
    terminal.write_line(
        f"{done.events:,} events and {done.documents:,} plan documents are dropped;"
        f" the log begins at {done.retained_from[:10]}.",
        err=True,
    )


class Progress:
    """Reports on stderr how far it is, on a terminal alone."""

    def __init__(self, conn: psycopg.Connection[Any], *, of_documents: bool = False) -> None:
        self._conn = conn
        self._line = ProgressLine()
        self._documents = self._count_documents() if of_documents else 0
        self._events = 0

    def on_converted(self, documents: int) -> None:
        """Report how many documents are converted."""
        self._line.show(documents, "documents", of_total(documents, self._documents))

    def on_projected(self, events: int) -> None:
        """Report how many events are in the graph."""
        if not events:  # the first word: a replay has converted all documents
            self._events = self._count_events()
            self._line.restart()
        self._line.show(events, "events", of_total(events, self._events))

    def _count_events(self) -> int:
        from lineage.eventlog.log import count_to_draw

        return count_to_draw(self._conn) if self._line.is_visible else 0

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
