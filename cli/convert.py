"""``lineage convert``: plan documents to OpenLineage events, without a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lineage.settings import spool_directory as default_spool

from . import options
from .output import terminal

if TYPE_CHECKING:
    from lineage.errors import InvalidEvent


@click.command()
@click.argument("source", metavar="[SPOOL|FILE|-]", required=False)
@options.exit_code
@click.pass_context
def convert(context: click.Context, source: str | None, exit_code: int | None) -> None:
    """Convert the plan documents of a spool to OpenLineage events, one JSON object per line.

    SPOOL is a directory of plan documents, with those below it, by default LINEAGE_SPOOL. FILE is
    one file of such a directory, and - is standard input.

    Lines that are not plan documents are reported on stderr with file and line, and conversion
    continues. The exit code is then 1, as for a SPOOL without plan documents.

    \b
    Example:
      lineage convert > events.jsonl
    """
    from openlineage.client.serde import Serde

    from lineage.spark.conversion.applications import convert_applications
    from lineage.spark.document.spool import find_applications

    bad_lines = 0

    def report_error(error: InvalidEvent) -> None:
        nonlocal bad_lines
        bad_lines += 1
        terminal.write_error(error)

    spool = source or default_spool()
    applications = find_applications(spool)
    if not applications:
        terminal.write_line(f"There are no plan documents in {spool}.", err=True)
    for event in convert_applications(applications, report_error, exit_code):
        click.echo(Serde.to_json(event), color=True)  # as it is, including control characters
    if bad_lines or (source and not applications):
        context.exit(1)
