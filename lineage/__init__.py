"""Provenance for Spark and OpenLineage, kept as a graph in PostgreSQL with Apache AGE."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage.questions import Provenance


def connect(dsn: str | None = None) -> Provenance:
    """Return a connection that answers questions: to ``dsn``, LINEAGE_DSN or the private server.

    Raises DatabaseUnavailable, UsageError.
    """
    # Only who asks needs psycopg.
    from lineage.questions.provenance import connect

    return connect(dsn)
