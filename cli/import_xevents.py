"""``lineage import xevents``: Extended Events of SQL Server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from . import import_options
from .import_output import ImportRun

if TYPE_CHECKING:
    from lineage.events.name_map import NameMap


@click.command()
@click.argument("sources", nargs=-1, metavar="FILE|DIRECTORY|-...")
@click.option(
    "--server",
    metavar="HOST[:PORT]",
    help="SQL Server that the events are of; the namespace of datasets is sqlserver://HOST[:PORT].",
)
@click.option(
    "--app-prefix",
    metavar="PREFIX",
    default="python_task::",
    show_default=True,
    help="Beginning of the application names whose events are read; the rest is the job.",
)
@click.option(
    "--script",
    is_flag=True,
    help="Print the T-SQL of a session that records these events, and import nothing.",
)
@import_options.schema
@import_options.common_options
@click.pass_context
def import_xevents(
    context: click.Context,
    sources: tuple[str, ...],
    server: str | None,
    app_prefix: str,
    script: bool,
    schema: str | None,
    as_events: bool,
    text: str,
    list_unresolved: bool,
    names: NameMap | None,
    dsn: str | None,
) -> None:
    """Import lineage from Extended Events of SQL Server.

    The events are rows of sys.fn_xe_file_target_read_file as CSV or JSON, XML of a ring buffer or
    of single events, the CSV of Management Studio, or the JSON of dbatools. The application name of
    a connection names its job, and optionally its run: python_task::JOB::RUN_ID. Gaps in
    event_sequence are reported: such events were overwritten, or are in other files.

    \b
    Examples:
      lineage import xevents --script > session.sql
      lineage import xevents events.csv --server sql1:1433
      lineage import xevents exports/ --server sql1:1433 --app-prefix etl::
    """
    from lineage.readers.application_names import check_prefix
    from lineage.readers.log_source import LogSource
    from lineage.readers.query_logs.forms.form import Reading
    from lineage.readers.query_logs.sources import Files, choose_schema
    from lineage.readers.query_logs.stored_rows import DETAILS
    from lineage.readers.query_logs.xevents_script import session_script
    from lineage.readers.server_names import check_namespace

    if script:
        click.echo(session_script(app_prefix), nl=False)
        return
    if not sources or server is None:
        raise click.UsageError("Give a file or directory, and --server.")
    namespace = check_namespace(f"sqlserver://{server.lower()}")
    source = LogSource(namespace, "tsql", choose_schema(schema, "tsql"), DETAILS[text])
    run = ImportRun(context, dsn, as_events=as_events, names=names)
    files = Files.find_files(sources, "xevents")
    reading = Reading(run.report_bad_row, prefix=check_prefix(app_prefix))
    run.write_rows(source, files.read_rows(reading, []))
    run.report_files(files)
    run.report.gaps += map(str, reading.numbers.find_gaps())
    run.report.others += reading.others
    run.write_totals(list_unresolved=list_unresolved)
