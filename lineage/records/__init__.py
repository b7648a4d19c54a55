"""Lineage of single rows: which rows of its sources a row is made of, and what became of a row."""

from lineage.records.fidelity import Fidelity
from lineage.records.follow import Followed, follow
from lineage.records.query_steps import Step
from lineage.records.trace import Check, Trace, trace

__all__ = ["Check", "Fidelity", "Followed", "Step", "Trace", "follow", "trace"]
