"""Raw and canned Cypher."""
