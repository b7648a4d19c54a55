"""``lineage ingest``: write events and plan documents from files into the graph."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from lineage.settings import spool_directory

from . import options
from .output import render, terminal
from .output.progress import ProgressLine, of_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from lineage.errors import InvalidEvent
    from lineage.events.name_map import NameMap
    from lineage.ingest.writer import Written


@click.command()
@click.argument("sources", nargs=-1, metavar="[FILE|DIRECTORY|-]...")
@options.exit_code
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    metavar="N",
    help="Number of processes for sources of more than 10,000 events or 48 MB."
    "  [default: number of cores, at most 4]",
)
@options.name_map
@options.dsn
@click.pass_context
def ingest(
    context: click.Context,
    sources: tuple[str, ...],
    exit_code: int | None,
    workers: int | None,
    names: NameMap | None,
    dsn: str | None,
) -> None:
    """Write OpenLineage events, or the plan documents of a spool, into the graph.

    A source is a file of JSON or JSON lines, a directory, a spool, or - for standard input. Files
    may be compressed (.gz, .bz2, .zst) and encoded in UTF-16. Without an argument, the default
    spool is read.

    Of a directory, files whose names end in .json, .jsonl or .ndjson are read, also those that were
    rotated, such as events.jsonl.2.gz. Copies such as events.jsonl.bak are left out and reported.

    A line that cannot be read is reported on stderr with file and line number. The other lines are
    written, and the exit code is 1. Events that are already stored are skipped.

    Events from a pipe are written when a batch is complete or the pipe has been idle for a second.

    With --map, an event is written for each dataset of the graph to which the file gives another
    name. Both are then one dataset.

    \b
    Examples:
      lineage ingest
      lineage ingest events.jsonl /var/spool/lineage
      lineage convert spool | lineage ingest -
    """
    from lineage.database.connection import connect_migrated
    from lineage.ingest.files import ingest_source as write
    from lineage.ingest.renaming import apply_name_map

    if exit_code is not None and len(sources) > 1:
        raise click.UsageError("--exit-code applies to one application. Give a single source.")
    progress = Progress()
    workers = workers or min(4, os.cpu_count() or 1)
    with _exit_on_sigterm(), connect_migrated(dsn) as conn:
        for source in sources or (str(spool_directory()),):
            write(conn, source, progress, exit_code, workers=workers, dsn=dsn)
        renamed = apply_name_map(conn, names) if names else 0
    progress.close()
    if renamed:
        terminal.write_line(f"{render.count_of(renamed, 'dataset')} renamed by the map.", err=True)
    if progress.bad:
        context.exit(1)


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """Raise SystemExit for SIGTERM, so that the written events are counted before the end."""

    def exit_command(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    previous = signal.signal(signal.SIGTERM, exit_command)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


class Progress:
    """Report progress, and lines that cannot be read, on stderr."""

    def __init__(self) -> None:
        self.events = self.new = self.bad = 0
        self._line = ProgressLine()
        self._bytes = ""

    def on_written(self, written: Written) -> None:
        """Count a batch that is on disk."""
        self.events += written.count
        self.new += written.new
        self._line.show(self.events, "events", self._bytes)

    def on_read(self, done: int, total: int) -> None:
        """Record the number of bytes of the source that were read."""
        self._bytes = of_bytes(done, total)

    def bad_line(self, error: InvalidEvent) -> None:
        """Report a line that cannot be read."""
        self.bad += 1
        self._line.clear()
        terminal.write_error(error)

    def report_omitted(self, place: str, parts: Sequence[str]) -> None:
        """Report the omitted parts of an accepted event, or the omitted files of a directory."""
        self._line.clear()
        more = f"; and {len(parts) - 5} more" if len(parts) > 5 else ""
        terminal.write_line(f"{place}: left out: {'; '.join(parts[:5])}{more}", err=True)

    def on_waiting(self, pipe: Path) -> None:
        """Report that a named pipe has no writer."""
        self._line.clear()
        terminal.write_line(f"Waiting for a writer on {pipe} …", err=True)

    def close(self) -> None:
        """Report the totals."""
        self._line.clear()
        known = self.events - self.new
        text = render.count_of(self.events, "event")
        text += f", {known:,} of them already stored" if known else ""
        bad = f"; {render.count_of(self.bad, 'line')} could not be read" if self.bad else ""
        terminal.write_line(f"{text}{bad}.", err=True)
