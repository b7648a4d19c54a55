"""``lineage plan-documents``: the plan documents that a collector has stored."""

from __future__ import annotations

import click

from . import options
from .output import render

COLUMNS = ["received_at", "time", "kind", "application", "execution", "state", "reason"]


@click.command()
@click.option(
    "--application", metavar="RUN", help="Only documents of the application with this run id."
)
@click.option("--rejected", is_flag=True, help="Only rejected documents, with the reason.")
@options.limit_option(20)
@click.option("--body", is_flag=True, help="Write the documents as received, without other fields.")
@options.format_option(*render.ROWS)
@options.dsn
def plan_documents(
    application: str | None, rejected: bool, limit: int, body: bool, form: str, dsn: str | None
) -> None:
    """List the newest plan documents that lineage serve has stored, and their state.

    The state is converted, pending or rejected. A document is rejected if this version cannot
    convert it, or cannot convert it before another document arrives.

    \b
    Examples:
      lineage plan-documents --rejected
      lineage plan-documents --limit 0 --body | tac | lineage convert -
    """
    from lineage.database.connection import connect_migrated
    from lineage.plan_documents.listing import list_documents

    with connect_migrated(dsn) as conn:
        rows = list_documents(conn, limit, application=application, rejected=rejected)
    render.emit_documents(rows, form, COLUMNS, bodies=body)
