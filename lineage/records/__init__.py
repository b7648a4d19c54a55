"""Lineage of single rows: which rows of its sources a row is made of, and what became of a row."""

from lineage.records.trace import Trace, trace

__all__ = ["Trace", "trace"]
