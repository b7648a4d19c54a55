"""``lineage export``: write the graph into the files of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import options
from .dbt_server import server_options
from .output import render, terminal

if TYPE_CHECKING:
    from .dbt_server import DbtServer


@click.group("export")
def export_group() -> None:
    """Write the graph into the files of other programs."""


@export_group.command("dbt-docs")
@click.argument("target", type=click.Path(path_type=Path))
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=options.complete_dataset)
@click.option(
    "--output",
    "directory",
    type=click.Path(path_type=Path),
    metavar="DIR",
    required=True,
    help="Directory to write the site into; not TARGET.",
)
@click.option("--static", is_flag=True, help="Write static_index.html, a page without other files.")
@server_options
@options.dsn
def export_dbt_docs(
    target: Path,
    names: tuple[str, ...],
    directory: Path,
    static: bool,
    server: DbtServer,
    dsn: str | None,
) -> None:
    """Write a copy of dbt's documentation site with the datasets around the project.

    TARGET is the target directory of the project after dbt docs generate, and remains as it is.
    Datasets up and downstream of NAME, by default of all models and sources, become models of the
    package lineage. Sources that a job writes become such models, with their writers as tags.

    \b
    Examples:
      lineage export dbt-docs target --output site --profiles-dir ~/.dbt
      lineage export dbt-docs target --output site --namespace postgres://db:5432 --static
    """
    from lineage.dbt_docs.site import write_site
    from lineage.query.session import Session
    from lineage.readers.dbt.files import read_artifacts
    from lineage.readers.dbt.nodes import Project

    artifacts = read_artifacts(target)
    project = Project.from_artifacts(artifacts, server.find_namespace(target, artifacts))
    with Session(dsn) as session:
        added = write_site(session, project, target, directory, names, static=static)
    for edge in added.omitted:
        terminal.write_line(f"Left out, because it closes a cycle: {edge}", err=True)
    page = directory / ("static_index.html" if static else "index.html")
    terminal.write_line(
        f"{page}: {render.count_of(len(added.nodes), 'dataset')} added to the project.", err=True
    )
