"""Read SQL: the tables and columns of queries, and what statements read and write."""

from lineage.sql.query import Query, read_query
from lineage.sql.records import Flow, Statement, statement_from_json, statement_to_json
from lineage.sql.scopes import Unreadable
from lineage.sql.statements import read_statements

__all__ = [
    "Flow",
    "Query",
    "Statement",
    "Unreadable",
    "read_query",
    "read_statements",
    "statement_from_json",
    "statement_to_json",
]
