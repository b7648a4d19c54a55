"""Measures of the source and of the schema."""
