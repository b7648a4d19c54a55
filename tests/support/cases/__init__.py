"""Jobs with their expected lineage."""
