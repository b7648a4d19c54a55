"""Conversion of Spark's plan documents to OpenLineage events."""

from lineage.spark.launcher.session import configure

__all__ = ["configure"]
