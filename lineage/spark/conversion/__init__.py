"""From plan documents to OpenLineage events."""
