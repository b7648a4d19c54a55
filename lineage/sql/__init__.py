"""Queries that a database runs for Spark: what they read, by their text."""

from lineage.sql.query import Query, read_query
from lineage.sql.scopes import Unreadable

__all__ = ["Query", "Unreadable", "read_query"]
