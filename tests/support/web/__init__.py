"""Readers of the formats that the product writes."""
