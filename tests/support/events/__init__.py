"""OpenLineage events and plan documents for tests."""
