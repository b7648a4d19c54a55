"""Provenance for Spark and OpenLineage, kept as a graph in PostgreSQL with Apache AGE."""

from __future__ import annotations
