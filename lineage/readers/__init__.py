"""Readers: query logs, scripts and catalogs to OpenLineage events."""
