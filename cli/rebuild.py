"""``lineage rebuild``, ``replay`` and ``prune``: the graph made again, and the log cut."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from . import options, terminal

if TYPE_CHECKING:
    from types import TracebackType


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
    from lineage.graph.rebuilding import rebuild as run

    with connect(dsn, autocommit=True) as conn, Progress() as progress:
        events = run(conn, told=progress.drawn)
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
    from lineage.plans.replay import replay as run

    with connect(dsn, autocommit=True) as conn, Progress() as progress:
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
    from lineage.retention import prune as run

    if not yes:
        click.confirm("The graph cannot be rebuilt from the log afterwards. Go on?", abort=True)
    with connect(dsn, autocommit=True) as conn:
        done = run(conn, before)
    terminal.write_line(
        f"{done.events:,} events and {done.documents:,} plan documents are dropped;"
        f" the log begins at {done.kept_from[:10]}.",
        err=True,
    )


class Progress:
    """Tells on stderr how far it is, on a terminal alone."""

    def __init__(self) -> None:
        self._told = False

    def converted(self, documents: int) -> None:
        """Tell how many documents are converted."""
        self._tell(f"{documents:,} documents")

    def drawn(self, events: int) -> None:
        """Tell how many events are drawn."""
        self._tell(f"{events:,} events")

    def _tell(self, text: str) -> None:
        if sys.stderr.isatty():
            self._told = True
            click.echo(f"\r\033[K{text}", err=True, nl=False)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._told:
            click.echo("\r\033[K", err=True, nl=False)
