"""From Spark's plan documents to OpenLineage events."""
