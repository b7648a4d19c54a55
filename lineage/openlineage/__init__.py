"""The OpenLineage wire format. Imports nothing else of this package."""
