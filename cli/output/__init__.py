"""Results on a terminal: trees, tables and graph notations."""
