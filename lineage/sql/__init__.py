"""Read the tables and column lineage of queries that a database runs for Spark."""

from lineage.sql.query import Query, read_query
from lineage.sql.scopes import Unreadable

__all__ = ["Query", "Unreadable", "read_query"]
