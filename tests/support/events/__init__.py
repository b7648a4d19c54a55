"""OpenLineage events and plan documents of tests."""
