"""``lineage forward``: send events of the log to other OpenLineage backends."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lineage import logs

from . import options
from .output import render, terminal

if TYPE_CHECKING:
    from types import FrameType

    from lineage.forwarding.sender import Sender

COLUMNS = [
    "target", "sent", "sent_at", "pending", "oldest_seconds", "rejected", "failing_since", "error",
]  # fmt: skip
_LOOK_SECONDS = 0.2


@click.group()
def forward() -> None:
    """Send events of the log to other OpenLineage backends."""


@forward.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--once", is_flag=True, help="Send the pending events, then exit.")
@options.dsn
@click.pass_context
def run(context: click.Context, file: Path, once: bool, dsn: str | None) -> None:
    """Send events to the targets of FILE until the process receives SIGINT or SIGTERM.

    FILE is YAML, with a transport of openlineage-python for each target. Targets are independent. A
    target that was unavailable receives all missed events when it is available again. An event may
    be sent more than once, but none is skipped.

    A target with namespaces receives only events of these; * matches any text. With --once the exit
    code is 1 if a target did not receive all pending events.

    \b
    Example of a FILE:
      targets:
        marquez:
          from: beginning     # or now, the default: events after the first start
          namespaces: [sales*]  # default: all
          transport:
            type: http
            url: https://marquez.example.com
            auth: {type: api_key, apiKey: "${MARQUEZ_KEY}"}
    """
    from lineage.database.connection import connect_migrated
    from lineage.forwarding import targets
    from lineage.forwarding.sender import Sender

    logs.log_to_stderr()
    senders = [Sender(target, dsn, once=once) for target in targets.read_targets(file)]
    connect_migrated(dsn).close()
    for sender in senders:
        sender.start()
    _wait_for_senders(senders)
    if once and any(sender.error or sender.rejected for sender in senders):
        context.exit(1)


def _wait_for_senders(senders: list[Sender]) -> None:
    """Wait until all senders have ended; SIGINT and SIGTERM stop them."""

    def stop(number: int, frame: FrameType | None) -> None:
        for sender in senders:
            sender.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    for sender in senders:
        while not sender.join(_LOOK_SECONDS):  # short, so that signal handlers run
            pass


@forward.command("list")
@options.format_option(*render.ROWS)
@options.dsn
def list_(form: str, dsn: str | None) -> None:
    """List targets with sent, pending and rejected events, and the error of a failing target.

    \b
    Example:
      lineage forward list
    """
    import dataclasses

    from lineage.database.connection import connect_migrated
    from lineage.forwarding import lag

    with connect_migrated(dsn) as conn:
        rows = [dataclasses.asdict(each) for each in lag.list_lags(conn)]
    render.emit_rows(rows, form, COLUMNS)


@forward.command()
@click.argument("target")
@options.limit_option(20)
@click.option("--body", is_flag=True, help="Write the events as received, without other fields.")
@options.format_option(*render.ROWS)
@options.dsn
def rejected(target: str, limit: int, body: bool, form: str, dsn: str | None) -> None:
    """List the events that TARGET rejected, with its responses.

    \b
    Example:
      lineage forward rejected marquez --body
    """
    from lineage.database.connection import connect_migrated
    from lineage.forwarding import lag

    with connect_migrated(dsn) as conn:
        rows = lag.list_rejected(conn, target, limit)
    if body:
        rows = [row for row in rows if row.body is not None]
    render.emit_documents(rows, form, ["event", "rejected_at", "reason"], bodies=body)


@forward.command()
@click.argument("target")
@options.dsn
def retry(target: str, dsn: str | None) -> None:
    """Send events to TARGET again, from the first event that it rejected.

    Rejected events that were archived or pruned cannot be sent. They remain in the list of rejected
    events.

    \b
    Example:
      lineage forward retry marquez
    """
    from lineage.database.connection import connect_migrated
    from lineage.forwarding import cursor

    with connect_migrated(dsn) as conn:
        row = cursor.retry_rejected(conn, target)
    text = f"{target} had rejected {row.retried:,} events."
    if row.dropped:
        text += f" {row.dropped:,} more left the log: lineage forward rejected {target}"
    terminal.write_line(text, err=True)


@forward.command()
@click.argument("target")
@options.dsn
def remove(target: str, dsn: str | None) -> None:
    """Remove the cursor and the rejected events of TARGET.

    \b
    Example:
      lineage forward remove marquez
    """
    from lineage.database.connection import connect_migrated
    from lineage.forwarding import cursor

    with connect_migrated(dsn) as conn:
        cursor.remove_target(conn, target)
