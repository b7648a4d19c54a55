"""``lineage forward``: kept events to other backends of OpenLineage."""

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
    """Send the events of the log on to other backends of OpenLineage."""


@forward.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--once", is_flag=True, help="Send what waits, and end.")
@options.dsn
@click.pass_context
def run(context: click.Context, file: Path, once: bool, dsn: str | None) -> None:
    """Send events to the targets of FILE until the process is told to end.

    FILE is YAML: a transport of openlineage-python for each target. Each target goes its own way;
    one that is down gets all it has missed when it is back. An event may be sent twice, none is
    left out. With namespaces a target gets the events of these alone; * stands for any text. With
    --once the exit code is 1 where a target did not get all.

    \b
    Example of a FILE:
      targets:
        marquez:
          from: beginning     # or now, the default: what comes after the first start
          namespaces: [sales*]  # all where it is left out
          transport:
            type: http
            url: https://marquez.example.com
            auth: {type: api_key, apiKey: "${MARQUEZ_KEY}"}
    """
    from lineage.database import migrations
    from lineage.database.connection import connect
    from lineage.forwarding import targets
    from lineage.forwarding.sender import Sender

    logs.log_to_stderr()
    senders = [Sender(target, dsn, once=once) for target in targets.read_targets(file)]
    with connect(dsn, autocommit=True) as conn:
        migrations.check_schema(conn)
    for sender in senders:
        sender.start()
    _wait_for_senders(senders)
    if once and any(sender.error for sender in senders):
        context.exit(1)


def _wait_for_senders(senders: list[Sender]) -> None:
    """Return when all have ended; a signal tells them to."""

    def stop(number: int, frame: FrameType | None) -> None:
        for sender in senders:
            sender.stop()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    for sender in senders:
        while not sender.join(_LOOK_SECONDS):  # so that a signal is heard
            pass


@forward.command("list")
@options.format_option(*render.ROWS)
@options.dsn
def list_(form: str, dsn: str | None) -> None:
    """List targets: what each was sent, what waits for it, and why it does not go on.

    \b
    Example:
      lineage forward list
    """
    import dataclasses

    from lineage.database.connection import connect
    from lineage.forwarding import lag

    with connect(dsn, autocommit=True) as conn:
        rows = [dataclasses.asdict(each) for each in lag.all_of(conn)]
    render.emit_rows(rows, form, COLUMNS)


@forward.command()
@click.argument("target")
@options.limit_option(20)
@click.option("--body", is_flag=True, help="Write the events themselves, as they came.")
@options.format_option(*render.ROWS)
@options.dsn
def rejected(target: str, limit: int, body: bool, form: str, dsn: str | None) -> None:
    """List the events that TARGET does not want, and what it answered.

    \b
    Example:
      lineage forward rejected marquez --body
    """
    from lineage.database.connection import connect
    from lineage.forwarding import lag

    with connect(dsn, autocommit=True) as conn:
        rows = lag.list_rejected(conn, target, limit)
    render.emit_documents(rows, form, ["event", "rejected_at", "reason"], bodies=body)


@forward.command()
@click.argument("target")
@options.dsn
def retry(target: str, dsn: str | None) -> None:
    """Go back to the first event that TARGET refused, and send it and all after it again.

    \b
    Example:
      lineage forward retry marquez
    """
    from lineage.database.connection import connect
    from lineage.forwarding import cursor

    with connect(dsn, autocommit=True) as conn:
        count = cursor.retry_rejected(conn, target)
    terminal.write_line(f"{target} had refused {count:,} events.", err=True)


@forward.command()
@click.argument("target")
@options.dsn
def remove(target: str, dsn: str | None) -> None:
    """Forget how far TARGET has got: nothing is kept for it any more.

    \b
    Example:
      lineage forward remove marquez
    """
    from lineage.database.connection import connect
    from lineage.forwarding import cursor

    with connect(dsn, autocommit=True) as conn:
        cursor.remove_target(conn, target)
