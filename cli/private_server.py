"""``lineage up`` and ``down``: the private server."""

from __future__ import annotations

import os

import click

from lineage import settings
from lineage.postgres import state_file
from lineage.postgres.instance import Instance

from .output import terminal


def report(text: str) -> None:
    """Talk goes to stderr: stdout is what scripts read."""
    terminal.write_line(text, err=True)


@click.command()
def up() -> None:
    """Start a private PostgreSQL with Apache AGE and print its DSN.

    The first time this fetches the programs, makes the server and a database in it. It applies
    all migrations, and it does nothing to a server that runs already. The server listens on the
    loopback address only; LINEAGE_HOME says where it keeps its data.

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
        report("LINEAGE_DSN is set: the other commands use that database and not this server.")
    terminal.write_line(dsn)


@click.command()
def down() -> None:
    """Stop the private server; its data stay.

    \b
    Example:
      lineage down
    """
    report("Stopped." if Instance().down() else f"No server runs in {settings.home_directory()}.")
