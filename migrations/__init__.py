"""Numbered SQL, applied in order by ``lineage migrate``."""
