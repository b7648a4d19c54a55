"""Queries that a database runs for Spark: what they read, by their text."""

from lineage.spark.columns.queries.reading import Query, read
from lineage.spark.columns.queries.scopes import Unreadable

__all__ = ["Query", "Unreadable", "read"]
