"""``lineage status``: the state of the private server, and the lag of graph and forwarding."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from . import options
from .hub_checks import count_spooled_files
from .output import render, terminal

if TYPE_CHECKING:
    from lineage.forwarding.lag import TargetLag
    from lineage.maintenance.status import ArchiveStatus, QueueStatus, Status


@click.command()
@options.format_option("text", "json")
@options.dsn
@click.pass_context
def status(context: click.Context, form: str, dsn: str | None) -> None:
    """Show pending events and plan documents, and the lag of forwarding.

    An event or plan document is pending until it is in the graph. Without a DSN the command also
    shows the private server. The exit code is 1 if that server is not running.

    \b
    Examples:
      lineage status || lineage up
      lineage status --format json | jq .events.pending
    """
    from lineage.database.connection import connect_migrated
    from lineage.maintenance import status as reading

    if not (dsn or os.environ.get("LINEAGE_DSN")):
        _private_server(context, form)
    with connect_migrated(dsn) as conn:
        result = reading.read_status(conn)
    if form == "json":
        click.echo(render.json_text(result, indent=2))
    else:
        _write_text(result)


def _private_server(context: click.Context, form: str) -> None:
    from lineage.postgres import state_file
    from lineage.postgres.instance import Instance

    instance = Instance()
    running = instance.status()
    if running is None:
        terminal.write_line(
            f"No server is running in {instance.home}. Start it with: lineage up", err=True
        )
        context.exit(1)
    if form == "text":
        terminal.write_line(f"process    {running.pid}")
        terminal.write_line(f"data       {instance.data_directory}")
        terminal.write_line(f"dsn        {state_file.build_uri(instance.home, running.port)}")


def _write_text(status: Status) -> None:
    from lineage.hub.configuration import hub_spool

    terminal.write_line(f"events     {_describe_queue(status.events, 'lineage events --rejected')}")
    terminal.write_line(
        f"documents  {_describe_queue(status.documents, 'lineage plan-documents --rejected')}"
    )
    spool = hub_spool()
    if count := count_spooled_files(spool):
        files = render.count_of(count, "file")
        terminal.write_line(f"programs   {files} of events: lineage ingest {spool}")
    if jobs := status.deferred_jobs:
        terminal.write_line(
            f"summaries  runs of {jobs:,} jobs are not counted yet: lineage ingest, or a collector"
        )
    if archive := status.archive:
        terminal.write_line(f"archive    {_describe_archive(archive)}")
    for target in status.forwarding:
        terminal.write_line(f"forward    {target.target}: {_describe_target(target)}")


def _describe_archive(archive: ArchiveStatus) -> str:
    late = archive.late_events
    more = f"; {late:,} of their events arrived late or again: lineage rebuild" if late else ""
    return f"{archive.runs:,} runs from before {archive.archived_before[:10]}{more}"


def _describe_queue(queue: QueueStatus, see: str) -> str:
    failed = f", {queue.rejected:,} rejected: {see}" if queue.rejected else ""
    return f"{describe_lag(queue.pending, queue.oldest_seconds)}{failed}"


def describe_lag(count: int, seconds: float | None) -> str:
    """Return the number of pending entries and the age of the oldest."""
    if not count or seconds is None:
        return "none pending"
    return f"{count:,} pending, the oldest for {_format_duration(seconds)}"


def _format_duration(seconds: float) -> str:
    """Return a duration in its two largest units."""
    minutes, rest = divmod(round(max(seconds, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    largest = [f"{number} {unit}" for number, unit in parts if number][:2]
    return " ".join(largest) or "0 s"


def _describe_target(target: TargetLag) -> str:
    from lineage.forwarding.lag import MAX_COUNTED_EVENTS

    lag = describe_lag(target.pending, target.oldest_seconds)
    more = "at least " if target.pending >= MAX_COUNTED_EVENTS else ""
    rejected = f", {target.rejected:,} rejected" if target.rejected else ""
    error = (
        f"; since {render.format_time(target.failing_since)} {target.error}" if target.error else ""
    )
    return f"{more}{lag}{rejected}{error}"
