"""Read SQL: the tables and columns of queries, and the inputs and outputs of statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.lazy_exports import export_lazily
from lineage.sql.query import Query, read_query
from lineage.sql.records import Flow, Statement, statement_from_json, statement_to_json
from lineage.sql.scopes import Unreadable

if TYPE_CHECKING:
    from lineage.sql.catalogs import Catalog
    from lineage.sql.effects import Effect, merge_effects
    from lineage.sql.parameters import read_parameters
    from lineage.sql.sessions import Session
    from lineage.sql.statements import read_statements

__all__ = [
    "Catalog",
    "Effect",
    "Flow",
    "Query",
    "Session",
    "Statement",
    "Unreadable",
    "merge_effects",
    "read_parameters",
    "read_query",
    "read_statements",
    "statement_from_json",
    "statement_to_json",
]

__getattr__, __dir__ = export_lazily(
    __name__,
    {
        "Catalog": "catalogs",
        "Effect": "effects",
        "Session": "sessions",
        "merge_effects": "effects",
        "read_parameters": "parameters",
        "read_statements": "statements",
    },
)
