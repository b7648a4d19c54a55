"""``lineage plan-documents``: what plan documents a collector has kept."""

from __future__ import annotations

import click

from . import options
from .output import render

COLUMNS = ["received_at", "time", "kind", "application", "execution", "state", "reason"]


@click.command()
@click.option("--application", metavar="RUN", help="Only those of the application with this run.")
@click.option(
    "--rejected", is_flag=True, help="Only documents that cannot be converted, with the reason."
)
@options.limit_option(20)
@click.option("--body", is_flag=True, help="Write the documents themselves, as they came.")
@options.format_option(*render.ROWS)
@options.dsn
def plan_documents(
    application: str | None, rejected: bool, limit: int, body: bool, form: str, dsn: str | None
) -> None:
    """List the newest plan documents that lineage serve has stored, and their state.

    A document is converted, pending or rejected: this version cannot convert it, or not before
    another document has arrived.

    \b
    Examples:
      lineage plan-documents --rejected
      lineage plan-documents --limit 0 --body | tac | lineage convert -
    """
    from lineage.database.connection import connect
    from lineage.plan_documents.listing import list_documents

    with connect(dsn, autocommit=True) as conn:
        rows = list_documents(conn, limit, application=application, rejected=rejected)
    render.emit_documents(rows, form, COLUMNS, bodies=body)
