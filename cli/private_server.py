"""``lineage up`` and ``down``: the private server."""

from __future__ import annotations

import os

import click

from lineage import settings
from lineage.postgres import state_file
from lineage.postgres.instance import Instance

from .output import terminal


def report(text: str) -> None:
    """Write a message to stderr; scripts read the DSN from stdout."""
    terminal.write_line(text, err=True)


@click.command()
def up() -> None:
    """Start a private PostgreSQL with Apache AGE and print its DSN.

    The first start fetches the programs and creates the server and its database. Each start applies
    the pending migrations. A server that is already running is not restarted. The server listens on
    the loopback address only. LINEAGE_HOME is the directory of its data.

    \b
    Examples:
      lineage up
      psql "$(lineage up)"
    """
    from lineage.database import create, migrations
    from lineage.database.connection import connect

    instance = Instance(say=report)
    dsn = instance.up()
    create.ensure_database(instance.database_uri("postgres"), state_file.DATABASE)
    with connect(dsn, autocommit=True) as conn:
        migrations.apply_pending(conn, say=lambda name: report(f"Applying {name}."))
    if os.environ.get("LINEAGE_DSN"):
        report("LINEAGE_DSN is set. Other commands use that database, not this server.")
    terminal.write_line(dsn)


@click.command()
def down() -> None:
    """Stop the private server; its data remain.

    \b
    Example:
      lineage down
    """
    report(
        "Stopped." if Instance().down() else f"No server is running in {settings.home_directory()}."
    )
