"""The provenance graph: writing events into it and asking it questions."""
