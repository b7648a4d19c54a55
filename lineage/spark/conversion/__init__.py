"""Conversion of plan documents to OpenLineage events."""
