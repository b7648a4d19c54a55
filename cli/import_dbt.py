"""``lineage import dbt``: the files of a dbt project's target directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import options
from .dbt_server import server_options
from .imported_events import print_events, write_imported
from .output import render, terminal

if TYPE_CHECKING:
    from lineage.events.name_map import NameMap
    from lineage.readers.dbt.events import TextMode

    from .dbt_server import DbtServer


@click.command("dbt")
@click.argument("target", type=click.Path(path_type=Path))
@server_options
@click.option(
    "--job-namespace",
    metavar="NS",
    envvar="OPENLINEAGE_NAMESPACE",
    show_envvar=True,
    default="dbt",
    show_default=True,
    help="Namespace of the jobs.",
)
@click.option(
    "--text",
    type=click.Choice(["none", "shape", "full"]),
    default="shape",
    show_default=True,
    help="What to store of compiled SQL; shape replaces its literals by ?.",
)
@click.option("--events", is_flag=True, help="Print the events as JSON lines, and write nothing.")
@click.option(
    "--unread", "list_gaps", is_flag=True, help="List models whose tables or columns are not known."
)
@options.name_map
@options.dsn
def import_dbt(
    target: Path,
    server: DbtServer,
    job_namespace: str,
    text: TextMode,
    events: bool,
    list_gaps: bool,
    names: NameMap | None,
    dsn: str | None,
) -> None:
    """Read the files that dbt writes into its directory TARGET.

    manifest.json gives declared lineage. run_results.json, if it is of the same invocation, gives
    runs and results of tests. catalog.json gives the columns that the database has. Nodes that
    lineage export dbt-docs added are skipped.

    Jobs are named as by openlineage-dbt for dbt run: database.schema.project.model.

    \b
    Examples:
      dbt build && lineage import dbt target --profiles-dir ~/.dbt
      lineage import dbt target --namespace postgres://db.example.com:5432
    """
    from lineage.readers.dbt.events import DbtReader
    from lineage.readers.dbt.files import read_artifacts

    artifacts = read_artifacts(target)
    namespace = server.find_namespace(target, artifacts)
    reader = DbtReader(artifacts, namespace, job_namespace, text)
    if events:
        summary = print_events(reader.read_events(), names)
    else:
        summary = write_imported(reader.read_events(), names, dsn)
    for note in reader.notes:
        terminal.write_line(note, err=True)
    unresolved = reader.unresolved_parts
    if list_gaps:
        terminal.write_lines(unresolved, err=True)
    elif unresolved:
        models = render.count_of(len({line.partition(":")[0] for line in unresolved}), "model")
        summary += f"; tables or columns of {models} are not known (--unread lists them)"
    terminal.write_line(f"{summary}.", err=True)
