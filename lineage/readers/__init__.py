"""Readers: what other programs record of their work, as OpenLineage events."""
