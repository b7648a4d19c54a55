"""The algebra of column lineage, for any source of it."""
