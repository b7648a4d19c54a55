"""``lineage migrate``: the schema of a database brought up to this version."""

from __future__ import annotations

import click

from . import options
from .output import terminal


@click.command()
@options.dsn
@click.option("--list", "only_list", is_flag=True, help="Change nothing; list the migrations.")
def migrate(dsn: str | None, only_list: bool) -> None:
    """Apply the migrations that a database has not got yet.

    They and the SQL functions of this version are applied in one transaction; two processes at
    once are safe. The owner of the database may run it: if that takes rights that only a
    superuser can grant, it changes nothing and lists the statements for a superuser to run.
    After a dump was restored it tells AGE of the graph in its new database, which takes a
    superuser.

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
            for each in migrations.migration_history(conn):
                when = f"{each.applied_at:%Y-%m-%d %H:%M:%S%z}" if each.applied_at else "pending"
                click.echo(f"{each.name}\t{when}")
            return
        applied = migrations.apply_pending(
            conn,
            say=lambda name: terminal.write_line(f"Applying {name}.", err=True),
            advise=lambda text: terminal.write_line(text, err=True),
        )
        adopted = restored_dump.adopt_graph_oid(conn)
    if adopted:
        terminal.write_line(
            "The database was restored from a dump: AGE knows its graph now.", err=True
        )
    elif not applied:
        terminal.write_line("Nothing to apply: the database is up to date.", err=True)
