"""Options that several commands share, each declared once."""

from __future__ import annotations

import click

# LINEAGE_DSN is read where the database is chosen (lineage.database.connection), so that an error
# can tell which of the two named it; here it is only shown.
dsn = click.option(
    "--dsn",
    metavar="DSN",
    help="Database to use, as postgresql://user@host:port/name."
    "  [env var: LINEAGE_DSN; default: the private server of `lineage up`]",
)
