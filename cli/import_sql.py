"""``lineage import sql``: scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from . import import_options
from .import_output import ImportRun

if TYPE_CHECKING:
    from lineage.events.name_map import NameMap


@click.command()
@import_options.sources
@import_options.namespace
@import_options.dialect_option("the scripts")
@click.option("--database", metavar="NAME", default="", help="Database of the session.")
@import_options.schema
@click.option(
    "--job",
    metavar="NAME",
    default="",
    help="Name of the job that runs all scripts.  [default: one job for each file, by its name]",
)
@import_options.common_options
@click.pass_context
def import_sql(
    context: click.Context,
    sources: tuple[str, ...],
    namespace: str,
    dialect: str | None,
    database: str,
    schema: str | None,
    job: str,
    as_events: bool,
    text: str,
    list_unresolved: bool,
    names: NameMap | None,
    dsn: str | None,
) -> None:
    """Import lineage from SQL scripts.

    The lineage of a script is declared, because a script does not show that it ran. The time of a
    job is that of the last change of its file; a newer script of the same job replaces the older
    one. Columns are traced by the catalog of the server, if lineage import catalog has stored it.

    \b
    Examples:
      lineage import sql etl/ --namespace sqlserver://sql1:1433 --database sales
      lineage import sql load.sql --namespace postgres://db:5432 --job nightly
    """
    from dataclasses import replace

    from lineage.readers.log_source import LogSource
    from lineage.readers.query_logs.sources import choose_dialect, choose_schema
    from lineage.readers.query_logs.stored_rows import DETAILS
    from lineage.readers.scripts import Scripts
    from lineage.readers.server_names import check_namespace

    namespace = check_namespace(namespace)
    chosen = choose_dialect(dialect, None, namespace)
    source = LogSource(namespace, chosen, choose_schema(schema, chosen), DETAILS[text])
    run = ImportRun(context, dsn, as_events=as_events, names=names)
    source = replace(source, catalog=run.load_catalog(namespace))
    scripts = Scripts.find_files(sources, database, job)
    run.write_events(lambda: scripts.declare_events(source, run.report, run.report_bad_row))
    run.write_totals(list_unresolved=list_unresolved)
