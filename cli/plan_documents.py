"""``lineage documents``: what plan documents a collector has kept."""

from __future__ import annotations

import click

from . import options
from .output import render

COLUMNS = ["received_at", "time", "kind", "application", "execution", "state", "reason"]


@click.command()
@click.option("--application", metavar="RUN", help="Only those of the application with this run.")
@click.option("--failed", is_flag=True, help="Only those that are set aside, with the reason.")
@options.limit_option(20)
@click.option("--body", is_flag=True, help="Write the documents themselves, as they came.")
@options.format_option(*render.ROWS)
@options.dsn
def documents(
    application: str | None, failed: bool, limit: int, body: bool, form: str, dsn: str | None
) -> None:
    """List the newest plan documents that lineage serve has kept, and what became of them.

    A document is converted, waiting, or set aside: it cannot be converted by this version, or not
    before another one has come.

    \b
    Examples:
      lineage documents --failed
      lineage documents --limit 0 --body | tac | lineage convert -
    """
    from lineage.database.connection import connect
    from lineage.plan_documents.listing import list_documents

    with connect(dsn, autocommit=True) as conn:
        rows = list_documents(conn, limit, application=application, failed=failed)
    render.emit_documents(rows, form, COLUMNS, bodies=body)
