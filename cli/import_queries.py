"""``lineage import queries``: query logs of databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from . import import_options
from .import_output import ImportRun

if TYPE_CHECKING:
    from lineage.events.name_map import NameMap
    from lineage.readers.query_logs.forms.pg_stat_statements import DeclaredText


@click.command()
@import_options.sources
@import_options.namespace
@click.option(
    "--form",
    metavar="FORM",
    help="Form of the log: generic, postgres-json, postgres-csv, pg_stat_statements, xevents,"
    " snowflake-access, bigquery, databricks, mysql or mysql-audit."
    "  [default: by the columns of each file]",
)
@import_options.dialect_option("the statements", default="by the form, else by the namespace")
@click.option(
    "--job",
    "job",
    metavar="TEMPLATE",
    default="",
    help="Name of the jobs, with {application}, {user}, {database} and {host}."
    "  [default: the application, else the user]",
)
@click.option("--database", metavar="NAME", default="", help="Database of rows without one.")
@import_options.schema
@import_options.common_options
@click.pass_context
def import_queries(
    context: click.Context,
    sources: tuple[str, ...],
    namespace: str,
    form: str | None,
    dialect: str | None,
    job: str,
    database: str,
    schema: str | None,
    as_events: bool,
    text: str,
    list_unresolved: bool,
    names: NameMap | None,
    dsn: str | None,
) -> None:
    """Import lineage from query logs.

    The statements of an application are folded into runs: each table that a run read or wrote is
    one input or output of it. A run ends with its session, or before a pause of 30 minutes.
    Statements that failed or were rolled back do not count. Rows that are imported already are
    skipped, so logs may overlap and be imported in any order. Of a directory, rotated and
    compressed logs are read too, such as postgresql.json.2.gz.

    \b
    Examples:
      lineage import queries /var/log/postgresql --namespace postgres://db:5432
      lineage import queries history.jsonl --namespace snowflake://org-account
      lineage import queries calls.jsonl --namespace mysql://db:3306 --events
    """
    from dataclasses import replace

    from lineage.readers.declared_statements import declared_events
    from lineage.readers.log_source import LogSource
    from lineage.readers.query_logs.forms.form import Reading
    from lineage.readers.query_logs.sources import Files, choose_dialect, choose_schema
    from lineage.readers.query_logs.stored_rows import DETAILS
    from lineage.readers.server_names import check_namespace

    namespace = check_namespace(namespace)
    files = Files.find_files(sources, form)
    dialect = choose_dialect(dialect, form, namespace)
    source = LogSource(namespace, dialect, choose_schema(schema, dialect), DETAILS[text], database)
    run = ImportRun(context, dsn, as_events=as_events, names=names)
    declared: list[tuple[str, DeclaredText]] = []
    reading = Reading(run.report_bad_row, job)
    run.write_rows(source, files.read_rows(reading, declared))
    run.report.passed_over += reading.passed_over
    run.report_files(files)
    if declared:
        source = replace(source, catalog=run.load_catalog(namespace))
        run.write_events(lambda: declared_events(source, declared, run.report))
    run.write_totals(list_unresolved=list_unresolved)
