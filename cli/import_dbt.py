"""``lineage import dbt``: the files of a dbt project's target directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import import_options
from .dbt_server import server_options
from .import_output import ImportRun
from .output import render, terminal

if TYPE_CHECKING:
    from collections.abc import Mapping

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
@import_options.common_options
@click.pass_context
def import_dbt(
    context: click.Context,
    target: Path,
    server: DbtServer,
    job_namespace: str,
    as_events: bool,
    text: TextMode,
    list_unresolved: bool,
    names: NameMap | None,
    dsn: str | None,
) -> None:
    """Read the files that dbt writes into its directory TARGET.

    manifest.json gives declared lineage. run_results.json, if it is of the same invocation, gives
    runs and results of tests. catalog.json gives the columns that the database has. Nodes that
    lineage export dbt-docs added are skipped. Columns of tables that catalog.json does not have are
    those of lineage import catalog.

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
    run = ImportRun(context, dsn, as_events=as_events, names=names)
    catalog = run.load_catalog(namespace)
    columns = catalog.columns if catalog else {}
    designs = run.load_designs(artifacts, namespace, job_namespace)
    reader = DbtReader(artifacts, namespace, job_namespace, text, columns, designs)
    run.write_events(lambda: map(_encode_event, reader.read_events()))
    run.apply_names()
    summary = import_options.describe_events(run.report)
    for note in reader.notes:
        terminal.write_line(note, err=True)
    unresolved = reader.unresolved_parts
    if list_unresolved:
        terminal.write_lines(unresolved, err=True)
    elif unresolved:
        models = render.count_of(len({line.partition(":")[0] for line in unresolved}), "model")
        summary += f"; tables or columns of {models} are not known (--unread lists them)"
    terminal.write_line(f"{summary}.", err=True)


def _encode_event(event: Mapping[str, Any]) -> bytes:
    return json.dumps(event).encode()
