"""``lineage migrate``: upgrade the schema of a database to this version."""

from __future__ import annotations

import click

from . import options
from .output import terminal


@click.command()
@options.dsn
@click.option("--list", "only_list", is_flag=True, help="List the migrations and change nothing.")
def migrate(dsn: str | None, only_list: bool) -> None:
    """Apply the pending migrations to a database.

    Migrations and the SQL functions of this version are applied in one transaction. It is safe to
    run the command in several processes at once. The owner of the database may run it. If rights
    are missing that only a superuser can grant, it changes nothing and lists the statements for a
    superuser to run.

    If the database was restored from a dump, the command registers the graph with AGE again. This
    requires a superuser.

    \b
    Examples:
      lineage migrate
      lineage migrate --list
      lineage migrate --dsn postgresql://admin@db.example/lineage
    """
    from lineage.database import migrations, restored_dump
    from lineage.database.connection import connect

    with connect(dsn, autocommit=True) as conn:
        if only_list:
            history = migrations.migration_history(conn)
            for each in history:
                when = f"{each.applied_at:%Y-%m-%d %H:%M:%S%z}" if each.applied_at else "pending"
                click.echo(f"{each.name}\t{when}")
            if all(each.applied_at for each in history) and migrations.needs_functions(conn):
                click.echo("functions\tpending")
            return
        applied = migrations.apply_pending(
            conn,
            say=lambda name: terminal.write_line(f"Applying {name}.", err=True),
            advise=lambda text: terminal.write_line(text, err=True),
        )
        adopted = restored_dump.adopt_graph_oid(conn)
    if adopted:
        terminal.write_line(
            "The database was restored from a dump. Its graph is registered with AGE now.", err=True
        )
    elif not applied:
        terminal.write_line("Nothing to apply: the database is up to date.", err=True)
